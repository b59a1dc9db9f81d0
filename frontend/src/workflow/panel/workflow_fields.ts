import type { WorkflowBudget, WorkflowEntry, WorkflowFileChange, WorkflowGraph, WorkflowInput, WorkflowToolPolicy, WorkflowTrigger, WorkflowValidation, WorkflowWebhook } from '../../api/types.gen.ts';
import { needed, neededText, number, numbers, optionalText, whole } from './codec.ts';
import type { Fields, Row } from './row.ts';
import { amount, code, half, line, list, one, template, yesOrNo } from './rows.ts';
import { panelText } from './text.ts';

const { fields: said, lists, options, adds } = panelText;

/** What may be said of an input depends on its type. */
function validation({ type }: WorkflowInput): Row | undefined {
  if (type === 'boolean') return undefined;
  const isNumber = type === 'number';
  const ofNumber = (row: Row) => () => (isNumber ? row : undefined);
  const ofText = (row: Row) => () => (isNumber ? undefined : row);
  const fields: Fields<WorkflowValidation> = {
    min: ofNumber(amount(said.min, number)),
    max: ofNumber(amount(said.inputMax, number)),
    format: ofText(code(said.format)),
    pattern: ofText(code(said.pattern)),
    min_length: ofText(amount(said.min_length, whole)),
    max_length: ofText(amount(said.max_length, whole)),
    enum: list(said.enum, isNumber ? numbers : undefined),
  };
  return { kind: 'group', words: said.validation, fields, blank: {} };
}

function byDefault({ type }: WorkflowInput): Row {
  if (type === 'boolean') return yesOrNo(said.inputDefault);
  return type === 'number' ? amount(said.inputDefault, number) : template(said.inputDefault, 'run');
}

const inputFields: Fields<WorkflowInput> = {
  name: code(said.inputName, neededText),
  type: half(one(said.inputType, options.input)),
  required: half(yesOrNo(said.required)),
  default: byDefault,
  description: line(said.description),
  validation,
};

const entryFields: Fields<WorkflowEntry> = {
  key: code(said.entryKey, neededText),
  value: template(said.entryValue, 'run', neededText),
};

/** What a run is given, and what all of it shares. */
export const inputsFields: Fields<Pick<WorkflowGraph, 'inputs' | 'context'>> = {
  inputs: {
    kind: 'list',
    ...lists.inputs,
    fields: inputFields,
    adds: [{ label: adds.input, blank: () => ({ name: '', type: 'string' }) satisfies WorkflowInput }],
  },
  context: {
    kind: 'list',
    ...lists.context,
    fields: entryFields,
    adds: [{ label: adds.entry, blank: () => ({ key: '', value: '' }) satisfies WorkflowEntry }],
  },
};

const webhookFields: Fields<WorkflowWebhook> = {
  path: code(said.webhookPath, neededText),
  secret_env: code(said.secret_env, neededText),
};

const fileChangeFields: Fields<WorkflowFileChange> = {
  glob: code(said.glob, neededText),
  debounce_ms: amount(said.debounce_ms, needed(whole)),
};

const triggerFields: Fields<WorkflowTrigger> = {
  type: one(said.triggerType, options.trigger),
  schedule: of => (of.type === 'schedule' ? code(said.schedule, neededText) : undefined),
  webhook: of =>
    of.type === 'webhook' ? { kind: 'group', words: said.webhook, fields: webhookFields, blank: { path: '', secret_env: '' } satisfies WorkflowWebhook, isRequired: true } : undefined,
  file_change: of =>
    of.type === 'file_change' ? { kind: 'group', words: said.file_change, fields: fileChangeFields, blank: { glob: '', debounce_ms: 500 } satisfies WorkflowFileChange, isRequired: true } : undefined,
};

const budgetFields: Fields<WorkflowBudget> = {
  max_cost_microcents: amount(said.max_cost_microcents, needed(whole)),
  on_exceed: one(said.on_exceed, options.on_exceed),
  strict_cost_cap: yesOrNo(said.strict_cost_cap),
};

const policyFields: Fields<WorkflowToolPolicy> = {
  allowedCommands: list(said.allowedCommands),
  allowedCommandGlobs: list(said.allowedCommandGlobs),
  allowedDomains: list(said.allowedDomains),
};

/** What is said of a workflow as a whole. */
export const workflowFields: Fields<Omit<WorkflowGraph, 'nodes' | 'edges' | 'agents' | 'inputs' | 'context'>> = {
  name: line(said.workflowName),
  id: code(said.workflowId, neededText),
  description: { kind: 'long', words: said.description, codec: optionalText },
  version: line(said.version),
  tags: list(said.tags),
  trigger: { kind: 'group', words: said.trigger, fields: triggerFields, blank: { type: 'manual' } satisfies WorkflowTrigger },
  budget: { kind: 'group', words: said.budget, fields: budgetFields, blank: { max_cost_microcents: 100_000_000, on_exceed: 'pause_for_approval' } satisfies WorkflowBudget },
  tools: { kind: 'group', words: said.toolPolicy, fields: policyFields, blank: {} },
  timeout_ms: amount(said.timeout_ms, whole),
  max_parallel: amount(said.max_parallel, whole),
};
