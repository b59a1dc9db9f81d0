// Generated from the types of backend/api by its tests; `make types` writes it anew.

export interface Health {
  status: string
  version: string
  pid: number
}

export interface WindowShown {
  shown: boolean
}

export interface ProjectFolder {
  dir: string
}

export interface Project {
  project: string
  token: string
}

export type State = "ready" | "locked" | "needs_recovery_code" | "needs_passphrase" | "no_keychain" | "damaged" | "newer_format" | "unreadable" | "sleeping"

export type SlotType = "keychain" | "recovery_code" | "passphrase"

export type Condition = "works" | "locked" | "absent"

export interface Keychain {
  health: Condition
  kind: string
  remedy: string
}

export interface Vault {
  state: State
  message: string
  remedy: string
  accepts: SlotType[]
  slots: SlotType[]
  keychain: Keychain
  lost: number
  rolledBack: boolean
  readOnly: boolean
  history: string
  lockAfter: number
}

export interface Unlocking {
  code?: string
  passphrase?: string
}

export interface LockAfter {
  minutes: number
}

export interface Salvaging {
  path?: string
  code?: string
  passphrase?: string
}

export interface TableLoss {
  table: string
  rows: number
  all: boolean
}

export interface Incomplete {
  id: string
  title: string
  messages: number
  records: number
  remade: boolean
}

export interface Salvage {
  pages: number
  bad: number
  lost: number
  sessions: number
  messages: number
  tables: TableLoss[]
  incomplete: Incomplete[]
}

export interface Deletion {
  confirm: string
}

export interface RecoveryCode {
  code: string
}

export interface Passphrase {
  passphrase: string
}

export interface Backup {
  path: string
}

export interface Scrub {
  pages: number
  bad: number
  log: number
  lost: number
}

export type Mode = "ask" | "accept_edits" | "plan" | "auto" | "deny"

export type Login = "key" | "own"

export type Source = "builtin" | "made" | "own" | "project"

export interface Agent {
  id: string
  name: string
  description?: string
  harness: string
  provider?: string
  model?: string
  mode: Mode
  login?: Login
  options?: Record<string, string>
  source?: Source
  path?: string
  untrusted?: boolean
}

export interface FileProblem {
  line: number
  column: number
  key?: string
  message: string
}

export interface BrokenFile {
  path: string
  agent?: string
  problems: FileProblem[]
}

export interface AgentChoices {
  harnesses: string[]
  providers: string[]
  tools: string[]
}

export interface AgentList {
  agents: Agent[]
  broken: BrokenFile[]
  own: string
  project?: string
  trusted: boolean
  choices: AgentChoices
}

export interface Held {
  by: string
  lacks: string
  remedy: string
}

export interface Sandbox {
  files: Held
  network: Held
  programs: Held
  load: Held
}

export type Kind = "native" | "scripted" | "agenta" | "pi" | "claude"

export type AuthorToolKind = "code" | "http"

export type Runtime = "python" | "node"

export type Permission = "allow" | "ask" | "deny" | "allow_reads"

export interface AuthorTool {
  kind: AuthorToolKind
  name: string
  description: string
  input_schema: unknown
  runtime?: Runtime
  code?: string
  url?: string
  method?: string
  headers?: Record<string, string>
  secrets?: Record<string, string>
  args?: unknown
  timeout_ms?: number
  permission?: Permission
}

export type Transport = "stdio" | "http"

export interface MCPServer {
  id: string
  transport: Transport
  command?: string
  args?: string[]
  env?: Record<string, string>
  url?: string
  headers?: Record<string, string>
  tools_allowlist?: string[]
}

export interface Rule {
  pattern: string
  permission: Permission
}

export interface AgentPermissions {
  mode?: Mode
  default?: Permission
  rules?: Rule[]
  allowed_commands?: string[]
  allowed_command_globs?: string[]
  allowed_domains?: string[]
}

export interface AgentDetails {
  id: string
  name?: string
  description?: string
  harness?: Kind
  provider?: string
  model?: string
  system_prompt?: string
  tools?: string[]
  author_tools?: AuthorTool[]
  mcp_servers?: string[]
  own_servers?: MCPServer[]
  permissions: AgentPermissions
  login?: Login
  options?: Record<string, string>
  command_env?: Record<string, string>
}

export interface AgentPlace {
  to: Source
}

export interface AgentFile {
  path: string
}

export type Readiness = "ready" | "missing" | "too_old" | "broken"

export type Ability = "approvals" | "tools" | "images" | "options" | "instructions" | "steering" | "resume"

export interface Harness {
  kind: string
  name: string
  description: string
  agent: string
  state: Readiness
  command: string
  path?: string
  version?: string
  oldest?: string
  problem?: string
  remedy: string
  install?: string
  login: Login
  model?: string
  can: Ability[]
}

export interface HarnessList {
  harnesses: Harness[]
}

export type Status = "created" | "idle" | "running" | "paused" | "interrupted"

export type FileScope = "sandboxed" | "project" | "full"

export interface DraftFile {
  url: string
  name: string
  mediaType?: string
  size?: number
}

export interface Session {
  id: string
  title: string
  status: Status
  agent: Agent
  mode: Mode
  modeKept?: boolean
  workingDir: string
  exportedPath?: string
  scope: FileScope
  scratch: string
  draft: string
  draftFiles: DraftFile[]
  turns: number
  maxTurns: number
  inputTokens: number
  outputTokens: number
  nextSequence: number
  createdAt: number
  updatedAt: number
}

export interface SessionList {
  sessions: Session[]
  next?: string
  workingDir: string
}

export interface SessionChange {
  title?: string
  draft?: string
  draftFiles?: DraftFile[]
  maxTurns?: number
  mode?: Mode
  scope?: FileScope
  workingDir?: string
  exportedPath?: string
  options?: Record<string, string>
}

export interface ForkRequest {
  messageId?: string
  agent?: string
  login?: Login
}

export interface Exported {
  name: string
  mediaType: string
  content: string
  warnings: string[]
}

export interface Import {
  content: string
}

export interface WorkflowFile {
  path: string
  name: string
  version: string
  changedAt: number
  nodes: number
  problems: number
  hasDraft: boolean
  error?: string
}

export interface WorkflowList {
  folder: string
  files: WorkflowFile[]
}

export interface WorkflowWebhook {
  path: string
  secret_env: string
}

export interface WorkflowFileChange {
  glob: string
  debounce_ms: number
}

export interface WorkflowTrigger {
  type: string
  webhook?: WorkflowWebhook
  schedule?: string
  file_change?: WorkflowFileChange
}

export interface WorkflowValidation {
  format?: string
  pattern?: string
  enum?: unknown[]
  min?: number
  max?: number
  min_length?: number
  max_length?: number
}

export interface WorkflowInput {
  name: string
  type: string
  required?: boolean
  default?: unknown
  description?: string
  validation?: WorkflowValidation
}

export interface WorkflowEntry {
  key: string
  value: string
}

export interface WorkflowMCPServer {
  ref?: string
  id?: string
  transport?: string
  command?: string
  args?: string[]
  env?: Record<string, string>
  url?: string
  allow_local_endpoint?: boolean
  tools_allowlist?: string[]
}

export interface WorkflowMemory {
  type: string
  window_size?: number
}

export interface WorkflowRetry {
  max: number
  backoff: string
  backoff_ms?: number
  retry_on?: string[]
}

export interface WorkflowFallback {
  model: string
  provider: string
  max_attempts: number
}

export interface WorkflowAgent {
  $ref?: string
  id?: string
  name?: string
  description?: string
  model?: string
  provider?: string
  system_prompt?: string
  temperature?: number
  max_tokens?: number
  reasoning_effort?: string
  input_schema?: unknown
  output_schema?: unknown
  tools?: string[]
  mcp_servers?: WorkflowMCPServer[]
  memory?: WorkflowMemory
  retry?: WorkflowRetry
  fallback_chain?: WorkflowFallback[]
}

export interface WorkflowToolPolicy {
  allowedCommands?: string[]
  allowedCommandGlobs?: string[]
  allowedDomains?: string[]
}

export interface WorkflowBudget {
  max_cost_microcents: number
  on_exceed: string
  strict_cost_cap?: boolean
}

export type WorkflowNodeType = "input" | "agent" | "human_gate" | "condition" | "transform" | "parallel" | "merge" | "output"

export interface WorkflowInputNode {
  id: string
  type: "input"
  label?: string
}

export interface WorkflowAgentNode {
  id: string
  type: "agent"
  agent_ref: string
  system_prompt_append?: string
  prompt_template?: string
  tools?: string[]
  model?: string
  temperature?: number
  max_tokens?: number
  output_schema?: unknown
  output_modalities?: string[]
  count?: number
  duration_seconds?: number
  timeout_ms?: number
  retry?: WorkflowRetry
}

export interface WorkflowGateNode {
  id: string
  type: "human_gate"
  gate_type: string
  assignee?: string
  message_template?: string
  timeout_ms?: number
  timeout_action?: string
}

export interface WorkflowBranch {
  when: unknown
  target_node: string
}

export interface WorkflowConditionNode {
  id: string
  type: "condition"
  expression: string
  expression_type?: string
  branches: WorkflowBranch[]
  default?: string
  retry?: WorkflowRetry
}

export interface WorkflowTransformNode {
  id: string
  type: "transform"
  transform: string
  expression_type?: string
  output_schema?: unknown
  retry?: WorkflowRetry
}

export interface WorkflowParallelNode {
  id: string
  type: "parallel"
  parallel_of: string[]
}

export interface WorkflowMergeNode {
  id: string
  type: "merge"
  merge_strategy: string
  merge_fn?: string
  retry?: WorkflowRetry
}

export interface WorkflowOutputNode {
  id: string
  type: "output"
  output_format?: string
  save_to?: string
}

export type WorkflowNode = WorkflowInputNode | WorkflowAgentNode | WorkflowGateNode | WorkflowConditionNode | WorkflowTransformNode | WorkflowParallelNode | WorkflowMergeNode | WorkflowOutputNode

export interface WorkflowEdge {
  from: string
  to: string
  label?: string
  condition?: string
}

export interface WorkflowGraph {
  id: string
  version?: string
  name?: string
  description?: string
  tags?: string[]
  trigger?: WorkflowTrigger
  inputs?: WorkflowInput[]
  context?: WorkflowEntry[]
  agents?: WorkflowAgent[]
  tools?: WorkflowToolPolicy
  budget?: WorkflowBudget
  timeout_ms?: number
  max_parallel?: number
  nodes: WorkflowNode[]
  edges: WorkflowEdge[]
}

export interface CheckedWorkflow {
  source: string
  graph?: WorkflowGraph
  metadata: string
  hasComments: boolean
  problems: FileProblem[]
}

export interface WorkflowDraft {
  source: string
  replaces: string
  session?: string
}

export interface OpenedWorkflow {
  path: string
  version: string
  checked: CheckedWorkflow
  draft?: WorkflowDraft
}

export interface WorkflowToSave {
  source: string
  replaces: string
}

export interface WorkflowSaved {
  version: string
  path: string
}

export interface UnsavedWorkflow {
  path: string
  session?: string
  changedAt: number
}

export interface WorkflowDraftList {
  drafts: UnsavedWorkflow[]
}

export interface WorkflowToCheck {
  graph?: WorkflowGraph
  metadata?: string
  source?: string
}

export interface WorkflowMetadata {
  metadata: string
}

export interface WorkflowOrigin {
  node: string
  session: string
  message: string
  prompt: string
  answer: string
  tools: string[]
}

export interface WorkflowOrigins {
  origins: WorkflowOrigin[]
}

export interface ChangedFile {
  path: string
  diffs: string[]
  created: boolean
  reverted: boolean
}

export interface ChangeList {
  files: ChangedFile[]
}

export interface RevertRequest {
  paths?: string[]
  undo?: boolean
  preview?: boolean
}

export interface Conflict {
  line: number
  mine: string
  back: string
}

export interface RevertedFile {
  path: string
  diff: string
  conflicts: Conflict[]
}

export interface Reverted {
  files: RevertedFile[]
}

export type Role = "system" | "user" | "assistant" | "tool"

export interface Message {
  id: string
  role: Role
  content: unknown
  model?: string
}

export interface MessageList {
  messages: Message[]
}

export interface Context {
  workingDir: string
}

export interface TokensUsed {
  input: number
  output: number
  model?: string
}

export type Code = "validation" | "content_filter" | "provider_auth" | "provider_rate_limit" | "provider_unavailable" | "tool_denied" | "tool_failed" | "tool_unavailable" | "budget_exceeded" | "run_timeout" | "turn_limit" | "cancelled" | "sandbox_error" | "internal"

export interface EventError {
  code: Code
  message: string
  retryable: boolean
}

export interface PlanItem {
  text: string
  status: string
}

export type InteractionKind = "user_approval" | "user_input" | "client_tool"

export interface Event {
  type: string
  sessionId: string
  timestamp: string
  sequenceNumber: number
  turnId?: string
  messageId?: string
  agentRef?: string
  model?: string
  context?: Context
  stopReason?: string
  workflowPath?: string
  tokensUsed?: TokensUsed
  error?: EventError
  token?: string
  text?: string
  callId?: string
  toolId?: string
  toolInput?: unknown
  success?: boolean
  outputSummary?: string
  inputTokens?: number
  outputTokens?: number
  priced?: boolean
  name?: string
  data?: unknown
  url?: string
  mediaType?: string
  items?: PlanItem[]
  approvalId?: string
  kind?: InteractionKind
  action?: string
  preview?: string
  approved?: boolean
  mode?: string
  directiveLength?: number
}

export interface ReplyStatus {
  code: number
  type?: string
  message?: string
}

export interface ReplyMessage {
  role: Role
  content: string
  parts: unknown
}

export interface ReplyData {
  outputs: ReplyMessage
}

export type StopReason = "end_turn" | "stop_sequence" | "max_tokens" | "tool_use" | "refusal" | "content_filter" | "paused" | "cancelled" | "error"

export interface Question {
  id: string
  sessionId: string
  kind: InteractionKind
  call: string
  manifest: unknown
  askedAt: number
  title?: string
  agent?: string
}

export interface Reply {
  trace_id: string
  span_id: string
  session_id: string
  status: ReplyStatus
  data: ReplyData
  stop_reason: StopReason
  pending?: Question[]
}

export type Stopped = "confirmed" | "killed" | "idle"

export interface Stop {
  stopped: Stopped
}

export interface Queued {
  number: number
  message: unknown
  at: number
  given: boolean
}

export interface Queue {
  queue: Queued[]
}

export interface QueuedChange {
  text: string
}

export interface Sent {
  messageId: string
}

export interface BranchChoice {
  messageId: string
}

export interface LoadRequest {
  session_id: string
}

export interface LoadedSession {
  session_id: string
  messages: unknown[]
  earlier?: string
  later?: string
  pending: Question[]
  queue: Queued[]
  branches: Record<string, string[]>
}

export interface Inbox {
  approvals: Question[]
}

export type Scope = "once" | "session" | "project" | "always"

export interface Decision {
  approved?: boolean
  note?: string
  scope?: Scope
  output?: unknown
}

export interface Decided {
  sessionId: string
  resumed: boolean
}

export interface Approval {
  id: number
  pattern: string
  scope: Scope
  sessionId?: string
  title?: string
  at: number
}

export interface Permissions {
  approvals: Approval[]
}

export type ServerState = "not_started" | "starting" | "running" | "failed"

export interface Server {
  config: MCPServer
  state: ServerState
  reason?: string
  tools: string[]
  log?: string
}

export interface ServerList {
  servers: Server[]
}

export interface ServersToImport {
  text: string
}

export interface ServerLeftOut {
  id: string
  why: string
}

export interface ServersImported {
  added: string[]
  leftOut: ServerLeftOut[]
}

export type Format = "text" | "json"

export type SecretState = "ok" | "expired" | "missing"

export type ReferenceKind = "mcp" | "agent" | "tool"

export interface SecretReference {
  kind: ReferenceKind
  name: string
  where: string
}

export interface Secret {
  slug: string
  name: string
  project?: string
  format: Format
  description: string
  tags: string[]
  created: number
  lastUsed?: number
  expires?: number
  state: SecretState
  fields: string[]
  references: SecretReference[]
  hides: boolean
  warnings: string[]
}

export interface SecretList {
  secrets: Secret[]
  problem?: string
}

export interface NewSecret {
  name: string
  slug?: string
  global?: boolean
  format: Format
  value: string
  description?: string
  tags?: string[]
  expires?: number
}

export interface SecretsToImport {
  text: string
  global?: boolean
}

export interface SecretRefused {
  line: number
  why: string
}

export interface SecretsImported {
  made: Secret[]
  refused: SecretRefused[]
}

export interface SecretToSweep {
  slug: string
}

export interface SecretSwept {
  masked: number
  busy: number
}

export interface SecretChange {
  name?: string
  description?: string
  tags?: string[]
  expires?: number
  value?: string
  format?: Format
}

export interface SecretRemoved {
  references: SecretReference[]
}

export interface SecretValue {
  value: string
}

export interface SecretUse {
  session: string
  title: string
  tool: string
  at: number
}

export interface SecretUses {
  uses: SecretUse[]
}

export interface CredentialsToFind {
  text: string
}

export interface Credential {
  kind: string
  text: string
}

export interface CredentialsFound {
  found: Credential[]
}

export type KeySource = "keychain" | "environment"

export interface Key {
  provider: string
  name: string
  last4: string
  source: KeySource
  variable?: string
  chosen: boolean
  created?: number
}

export interface KeyList {
  keys: Key[]
  providers: string[]
}

export interface NewKey {
  provider: string
  name: string
  value: string
}

export interface KeyChecked {
  ok: boolean
  message: string
}

export interface KeyChoice {
  name: string
  global?: boolean
}

export interface Uploaded {
  handle: string
  url: string
  mediaType: string
}

export interface Piece {
  text: string
  hit?: boolean
}

export interface Hit {
  sessionId: string
  title: string
  messageId?: string
  role?: Role
  at: number
  excerpt: Piece[]
}

export interface SearchResult {
  hits: Hit[]
  next?: string
  behind: number
  since?: number
}

export interface QueuedMessage {
  number: number
  message_id: string
}

export interface QueuedReply {
  session_id: string
  queued: QueuedMessage
}

export interface FailureStatus {
  code: number
  type: string
  message: string
}

export type TurnState = "running" | "paused"

export interface BusyTurn {
  turn_id: string
  message_id: string
  state: TurnState
  pending: Question[]
}

export interface Failure {
  status: FailureStatus
  turn?: BusyTurn
}

export interface SessionNotice {
  type: string
  requestId: string
  sessionId: string
  event?: Event
}

export interface VaultNotice {
  type: string
  state: State
}

export interface AgentsNotice {
  type: string
}

export interface WorkflowsNotice {
  type: string
}
