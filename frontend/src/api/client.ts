import { text } from '../ui/text.ts';
import type { Door } from './host.ts';
import type {
  AgentDetails,
  AgentFile,
  AgentList,
  ChangeList,
  CheckedWorkflow,
  CredentialsFound,
  Decided,
  Decision,
  Exported,
  Failure,
  ForkRequest,
  HarnessList,
  Health,
  Inbox,
  KeyChecked,
  KeyChoice,
  KeyList,
  LoadedSession,
  MCPServer,
  NewKey,
  NewSecret,
  OpenedWorkflow,
  Permissions,
  Queue,
  QueuedReply,
  RecoveryCode,
  Reply,
  Reverted,
  RevertRequest,
  Role,
  Salvage,
  Sandbox,
  SearchResult,
  Secret,
  SecretChange,
  SecretList,
  SecretRemoved,
  SecretsImported,
  SecretsToImport,
  SecretSwept,
  SecretUses,
  SecretValue,
  Server,
  ServerList,
  ServersImported,
  Sent,
  Session,
  SessionChange,
  SessionList,
  Stop,
  Unlocking,
  Uploaded,
  Vault,
  WorkflowDraft,
  WorkflowDraftList,
  WorkflowList,
  WorkflowOrigins,
  WorkflowSaved,
  WorkflowToCheck,
} from './types.gen.ts';

/** A request that was refused, or that reached nobody. Its message is for the person. */
export class ApiError extends Error {
  constructor(
    readonly status: number, // of HTTP; 0 if nobody answered
    readonly type: string,
    message: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

interface Asking {
  /** The content of a file, or anything that is sent as JSON. */
  body?: unknown;
  accept?: string;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
  signal?: AbortSignal;
}

/** A stop is confirmed or forced within two seconds; who does not answer in this many milliseconds is gone. */
const stopLimit = 5_000;

/** The door's resources. Every method fails with an ApiError. */
export class Client {
  #vaultLocked = () => {};

  constructor(private readonly door: Door) {}

  /** Calls back when a request was refused because the history is not open. */
  onVaultLocked(listener: () => void): void {
    this.#vaultLocked = listener;
  }

  health = () => this.ask<Health>('GET', '/health');
  agents = () => this.ask<AgentList>('GET', '/agents');
  /** All of an agent that a person may write. */
  agent = (id: string) => this.ask<AgentDetails>('GET', `/agents/${encodeURIComponent(id)}`);
  putAgent = (agent: AgentDetails) => this.ask<void>('PUT', `/agents/${encodeURIComponent(agent.id)}`, { body: agent });
  removeAgent = (id: string) => this.ask<void>('DELETE', `/agents/${encodeURIComponent(id)}`);
  saveAgent = (id: string, to: 'own' | 'project') => this.ask<AgentFile>('POST', `/agents/${encodeURIComponent(id)}/file`, { body: { to } });
  /** Lets the agents be used that come with the project. */
  trust = () => this.ask<void>('PUT', '/trust');
  distrust = () => this.ask<void>('DELETE', '/trust');
  /** What the system holds of what agents may touch. */
  sandbox = () => this.ask<Sandbox>('GET', '/sandbox');
  /** The programs that agents run in, as they were seen last. */
  harnesses = () => this.ask<HarnessList>('GET', '/harnesses');
  lookForHarnesses = () => this.ask<HarnessList>('POST', '/harnesses');

  sessions = (page: { after?: string; limit: number }) => this.ask<SessionList>('GET', `/sessions?${query(page)}`);
  session = (id: string) => this.ask<Session>('GET', `/sessions/${encodeURIComponent(id)}`);
  change = (id: string, change: SessionChange, keepalive = false) =>
    this.ask<Session>('PATCH', `/sessions/${encodeURIComponent(id)}`, { body: change, keepalive });
  remove = (id: string) => this.ask<void>('DELETE', `/sessions/${encodeURIComponent(id)}`);
  restore = (id: string) => this.ask<void>('POST', `/sessions/${encodeURIComponent(id)}/restore`);
  /** A session as a file. Nothing is written. */
  export = (id: string, format: string) => this.ask<Exported>('GET', `/sessions/${encodeURIComponent(id)}/export?${query({ format })}`);
  /** Which turns of a session the nodes of a workflow were made of, by what stands in its file. */
  workflowOrigins = (metadata: string) => this.ask<WorkflowOrigins>('POST', '/workflows/origins', { body: { metadata } });
  /** Makes a session of a file. */
  import = (content: string) => this.ask<Session>('POST', '/import', { body: { content } });

  /** What the run of an answer wrote to files. */
  changes = (id: string, answer: string) => this.ask<ChangeList>('GET', `/sessions/${encodeURIComponent(id)}/changes/${encodeURIComponent(answer)}`);
  revert = (id: string, answer: string, what: RevertRequest) =>
    this.ask<Reverted>('POST', `/sessions/${encodeURIComponent(id)}/changes/${encodeURIComponent(answer)}`, { body: what });

  search = (what: { q: string; role?: Role; since?: number; agent?: string; limit: number; after?: string }, signal: AbortSignal) =>
    this.ask<SearchResult>('GET', `/search?${query(what)}`, { signal });

  load = (id: string, page: { before?: string; after?: string; around?: string; limit: number }) =>
    this.ask<LoadedSession>('POST', `/load-session?${query(page)}`, { body: { session_id: id } });
  /** A file that belongs to a message, by the address in its part. */
  media = async (address: string, signal: AbortSignal) => (await this.#fetch('GET', address, { signal })).blob();
  /** Keeps a file for a message that is sent later. */
  upload = (content: ArrayBuffer) => this.ask<Uploaded>('POST', '/media', { body: content });
  stop = (id: string) =>
    this.ask<Stop>('POST', `/messages/${encodeURIComponent(id)}/stop`, { signal: AbortSignal.timeout(stopLimit) });

  /** Everything that waits for a person. */
  approvals = () => this.ask<Inbox>('GET', '/approvals');
  /** Answers a question, which may be the last that its turn waits for. */
  answer = (question: string, decision: Decision) => this.ask<Decided>('POST', `/approvals/${encodeURIComponent(question)}`, { body: decision });

  /** What was allowed for longer than once. */
  permissions = () => this.ask<Permissions>('GET', '/permissions');
  revoke = (id: number) => this.ask<void>('DELETE', `/permissions/${id}`);

  /** The MCP servers that agents may use. */
  servers = () => this.ask<ServerList>('GET', '/mcp/servers');
  putServer = (config: MCPServer) => this.ask<Server>('PUT', `/mcp/servers/${encodeURIComponent(config.id)}`, { body: config });
  removeServer = (id: string) => this.ask<void>('DELETE', `/mcp/servers/${encodeURIComponent(id)}`);
  /** Starts a server, to see whether it does and which tools it has, and ends it. */
  tryServer = (id: string) => this.ask<Server>('POST', `/mcp/servers/${encodeURIComponent(id)}/start`);
  importServers = (configuration: string) => this.ask<ServersImported>('POST', '/mcp/import', { body: { text: configuration } });

  /** The named secrets, without their values. */
  secrets = () => this.ask<SecretList>('GET', '/secrets');
  addSecret = (secret: NewSecret) => this.ask<Secret>('POST', '/secrets', { body: secret });
  changeSecret = (secret: Secret, change: SecretChange) => this.ask<Secret>('PATCH', pathOf(secret), { body: change });
  removeSecret = (secret: Secret) => this.ask<SecretRemoved>('DELETE', pathOf(secret));
  revealSecret = (secret: Secret) => this.ask<SecretValue>('POST', pathOf(secret, '/reveal'));
  secretUses = (secret: Secret) => this.ask<SecretUses>('GET', pathOf(secret, '/uses'));
  /** Makes a secret of each line of a .env file. */
  importSecrets = (file: SecretsToImport) => this.ask<SecretsImported>('POST', '/import-secrets', { body: file });
  /** Masks the values of a secret in what was said before. */
  sweepSecret = (slug: string) => this.ask<SecretSwept>('POST', '/sweep-secret', { body: { slug } });

  /** What looks like a credential in a text. */
  findCredentials = (written: string, signal: AbortSignal) => this.ask<CredentialsFound>('POST', '/find-credentials', { body: { text: written }, signal });

  /** The keys of providers, without their values. */
  keys = () => this.ask<KeyList>('GET', '/keys');
  putKey = (key: NewKey) => this.ask<KeyList>('POST', '/keys', { body: key });
  /** Asks the provider whether it takes a key. */
  checkKey = (provider: string, name: string) => this.ask<KeyChecked>('POST', `/keys/${encodeURIComponent(provider)}/${encodeURIComponent(name)}/check`);
  chooseKey = (provider: string, choice: KeyChoice) => this.ask<KeyList>('PUT', `/chosen-keys/${encodeURIComponent(provider)}`, { body: choice });
  removeKey = (provider: string, name: string) => this.ask<KeyList>('DELETE', `/keys/${encodeURIComponent(provider)}/${encodeURIComponent(name)}`);

  queue = (id: string) => this.ask<Queue>('GET', `/messages/${encodeURIComponent(id)}/queue`);
  /** Sends a message when the turn that runs is done. If there is none it is sent at once, and this is answered at the end of its turn. */
  enqueue = (id: string, message: { id: string; role: 'user'; parts: object[] }) =>
    this.ask<QueuedReply | Reply>('POST', '/messages', { body: { session_id: id, queue: true, data: { messages: [message] } } });
  changeQueued = (id: string, number: number, said: string) =>
    this.ask<void>('PATCH', `/messages/${encodeURIComponent(id)}/queue/${number}`, { body: { text: said } });
  unqueue = (id: string, number: number) => this.ask<void>('DELETE', `/messages/${encodeURIComponent(id)}/queue/${number}`);
  /** Stops what runs, and sends a message that waits. */
  sendNow = (id: string, number: number) => this.ask<Sent>('POST', `/messages/${encodeURIComponent(id)}/send-now?n=${number}`);

  /** Shows the branch that goes through a message. */
  choose = (id: string, messageId: string) => this.ask<void>('POST', `/messages/${encodeURIComponent(id)}/branch`, { body: { messageId } });
  /** Copies the session, up to a message, into a new one, where another agent may go on. */
  fork = (id: string, how: ForkRequest) => this.ask<Session>('POST', `/sessions/${encodeURIComponent(id)}/fork`, { body: how });

  /** The files of the project that are workflows. */
  workflows = () => this.ask<WorkflowList>('GET', '/workflows');
  /** Unsaved work that has no file yet. */
  workflowDrafts = () => this.ask<WorkflowDraftList>('GET', '/workflows/drafts');
  /** Reads a workflow, or writes one, and says what is wrong with it. */
  checkWorkflow = (workflow: WorkflowToCheck) => this.ask<CheckedWorkflow>('POST', '/workflows/check', { body: workflow });
  workflow = (path: string) => this.ask<OpenedWorkflow>('GET', `/workflows/file?${query({ path })}`);
  /** Saves a workflow in the place of that version of its file; '' if there must be none. */
  saveWorkflow = (path: string, source: string, replaces: string) =>
    this.ask<WorkflowSaved>('PUT', `/workflows/file?${query({ path })}`, { body: { source, replaces } });
  keepWorkflow = (path: string, draft: WorkflowDraft, keepalive: boolean) =>
    this.ask<void>('PUT', `/workflows/draft?${query({ path })}`, { body: draft, keepalive });
  dropWorkflow = (path: string) => this.ask<void>('DELETE', `/workflows/draft?${query({ path })}`);

  vault = () => this.ask<Vault>('GET', '/vault');
  /** With neither a code nor a passphrase the keychain is asked, which may wait for its dialog. */
  unlock = (by: Unlocking, signal?: AbortSignal) => this.ask<Vault>('POST', '/vault/unlock', { body: by, signal });
  lock = () => this.ask<Vault>('POST', '/vault/lock');
  startNew = () => this.ask<Vault>('POST', '/vault/start-new');
  /** Makes a code that opens nothing until it was given back to setRecoveryCode. */
  mintRecoveryCode = () => this.ask<RecoveryCode>('POST', '/vault/recovery-code');
  setRecoveryCode = (code: string) => this.ask<Vault>('PUT', '/vault/recovery-code', { body: { code } });
  setPassphrase = (passphrase: string) => this.ask<Vault>('PUT', '/vault/passphrase', { body: { passphrase } });
  /** Seals the history under a new key. All that opens it besides the keychain has to be given. */
  rotate = (by: Unlocking) => this.ask<Vault>('POST', '/vault/rotate', { body: by });
  /** Puts what is left of a damaged history in its place. What opens it has to be given unless the keychain does. */
  salvage = (by: Unlocking) => this.ask<Salvage>('POST', '/vault/salvage', { body: by });
  deleteEverything = (confirm: string) => this.ask<Vault>('POST', '/vault/delete-everything', { body: { confirm } });
  removePassphrase = () => this.ask<Vault>('DELETE', '/vault/passphrase');
  setLockAfter = (minutes: number) => this.ask<Vault>('PUT', '/vault/lock-after', { body: { minutes } });
  /** Tells that somebody is here. */
  beActive = () => this.ask<void>('POST', '/vault/active');

  private async ask<T>(method: string, path: string, asking?: Asking): Promise<T> {
    const response = await this.#fetch(method, path, { accept: 'application/json', ...asking });
    if (response.status === 204) return undefined as T;
    const answer: unknown = await response.json().catch(() => undefined);
    if (answer === undefined) throw new ApiError(response.status, 'unknown', text.strangeAnswer(response.status));
    return answer as T;
  }

  async #fetch(method: string, path: string, { body, accept = '*/*', ...how }: Asking): Promise<Response> {
    const connection = await this.door.connection();
    if (!connection) throw new ApiError(401, 'unauthorized', text.locked.title);
    const isFile = body instanceof ArrayBuffer;
    const contentType = body !== undefined && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' };
    let response: Response;
    try {
      response = await fetch(connection.url + path, {
        ...how,
        method,
        headers: { accept, authorization: `Bearer ${connection.token}`, ...contentType },
        body: isFile ? body : body === undefined ? undefined : JSON.stringify(body),
      });
    } catch {
      throw new ApiError(0, 'unreachable', text.unreachable);
    }
    if (response.ok) return response;
    if (response.status === 401) this.door.lost(); // the host may have been given another key since it was asked
    const failure = ((await response.json().catch(() => undefined)) as Partial<Failure> | undefined)?.status;
    if (failure?.type === 'vault_locked') this.#vaultLocked();
    throw new ApiError(response.status, failure?.type ?? 'unknown', failure?.message ?? text.strangeAnswer(response.status));
  }
}

/** Where a secret is: one for every project may be hidden by one of the project with its slug. */
function pathOf({ slug, project }: Secret, what = ''): string {
  return `/secrets/${encodeURIComponent(slug)}${what}${project ? '' : '?global=1'}`;
}

function query(values: Record<string, string | number | undefined>): URLSearchParams {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}
