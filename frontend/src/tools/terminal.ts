// oxlint-disable-next-line no-control-regex -- that is what it is about
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** What a terminal shows of what was written to it, without colours: a line that was written over is what it was last. */
export function plain(written: string): string {
  return written
    .replaceAll(escapes, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
    .join('\n');
}
