import hljs from 'highlight.js/lib/common';

/** The code as HTML: escaped, with a span around each word that has a colour. Undefined for a language nobody knows. */
export function highlight(code: string, language: string): string | undefined {
  return hljs.getLanguage(language) && hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
