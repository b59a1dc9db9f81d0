/** Rows as comma-separated values, as RFC 4180 has them. */
export function toCsv(rows: string[][]): string {
  return rows.map(row => row.map(quote).join(',') + '\r\n').join('');
}

function quote(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
