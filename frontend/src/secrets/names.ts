/** The names in the text of a .env file. What the lines are worth the door says. */
export function namesIn(file: string): string[] {
  return [...file.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=/gm)].map(([, name]) => name!);
}
