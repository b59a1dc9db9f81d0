#!/usr/bin/env node
// A small agent that speaks the Agent Client Protocol. It does what a message says:
//   write NAME   asks, and writes a file      run COMMAND   shows a command and what it wrote
//   recall       says all that it was sent     strange       says something that nobody knows
// Whatever else is said is answered with the mode that it is in, and with the number of pictures that came along.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

if (process.argv.includes('--version')) {
  console.log('1.18.33');
  process.exit();
}

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let asked = 0;
const ask = (method, params) => new Promise(answered => {
  waiting.set(++asked, answered);
  send({ id: asked, method, params });
});

const sessionId = `small-${process.pid}`;
let mode = 'code';
const heard = [];
const options = () => [
  { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: mode, options: [{ value: 'code', name: 'Code' }, { value: 'plan', name: 'Plan' }] },
];
const update = change => send({ method: 'session/update', params: { sessionId, update: change } });
const say = text => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

async function write(path) {
  const call = { toolCallId: `call-${++asked}`, title: `Write ${path}`, kind: 'edit', rawInput: { file_path: path, content: 'one\n' } };
  update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
  const choices = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
  const { outcome } = await ask('session/request_permission', { sessionId, toolCall: call, options: choices });
  const isAllowed = outcome.optionId === 'yes';
  if (isAllowed) writeFileSync(path, 'one\n');
  const content = isAllowed ? [{ type: 'diff', path, oldText: null, newText: 'one\n' }] : [];
  update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: isAllowed ? 'completed' : 'failed', content });
  say(isAllowed ? 'It is written.' : 'Then not.');
}

function run(command) {
  const toolCallId = `call-${++asked}`;
  update({ sessionUpdate: 'tool_call', toolCallId, title: command, kind: 'execute', status: 'in_progress', rawInput: { command } });
  const content = [{ type: 'content', content: { type: 'text', text: '\u001b[32mgreen\u001b[0m\n' } }];
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
  say('It ran.');
}

const methods = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'small', version: '1.18.33' }, agentCapabilities: { promptCapabilities: { image: true } }, authMethods: [] }),
  'session/new': () => {
    setImmediate(() => update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'review', description: 'Looks at what changed' }, { name: 'recap', description: 'Says it again' }] }));
    return { sessionId, configOptions: options() };
  },
  'session/set_config_option': ({ value }) => {
    mode = value;
    return { configOptions: options() };
  },
  'session/prompt': async ({ prompt }) => {
    const text = prompt.map(block => block.text ?? '').join('');
    heard.push(text);
    const [, word, rest] = /(write|run|recall|strange) ?(.*)$/.exec(text) ?? [];
    if (word === 'write') await write(rest);
    else if (word === 'run') run(rest);
    else if (word === 'recall') say(heard.join('\n'));
    else {
      if (word === 'strange') update({ sessionUpdate: 'weather_report', sky: 'grey' });
      const pictures = prompt.filter(({ type }) => type === 'image').length;
      say(`Said in ${mode} mode${pictures ? ` with pictures: ${pictures}` : ''}.`);
    }
    return { stopReason: 'end_turn' };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (methods[method]) void Promise.resolve(methods[method](params)).then(answer => send({ id, result: answer }));
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Unknown.' } });
}
