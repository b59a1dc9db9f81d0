import { memo } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { useFold } from '../../ui/fold.ts';
import { text as say } from '../../ui/text.ts';
import { Code } from './code.tsx';
import { formulas } from './formula.ts';
import { Image, Link, safeUrl } from './link.tsx';
import { Table } from './table.tsx';

const plugins: Options['remarkPlugins'] = [remarkGfm, formulas];

/** One piece of an answer. Of an open one, what is half written is shown as if it were whole. */
export const Piece = memo(function Piece({ source, open }: { source: string; open: boolean }) {
  return <div className="piece">{open ? <OpenPiece source={source} /> : <Rendered source={source} open={false} />}</div>;
});

const Rendered = memo(function Rendered({ source, open }: { source: string; open: boolean }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={open ? openComponents : components} urlTransform={safeUrl}>
      {open ? remend(source) : source}
    </ReactMarkdown>
  );
});

const openFence = /^(?:`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n/;

function OpenPiece({ source }: { source: string }) {
  const shown = useFold(source, sparingly);
  // Nothing but the fence has to be understood of code that is being written, however long it is.
  const fence = openFence.exec(source);
  if (fence) return <Code code={source.slice(fence[0].length)} language={fence[1] || undefined} open />;
  return <Rendered source={shown} open />;
}

/** A piece this long takes too long for every word: it is rendered anew when so much of it is new. */
const long = 8_000;
const share = 0.02;

function sparingly(source: string, shown = ''): string {
  const isNews = source.length < long || source.length * (1 - share) > shown.length || !source.startsWith(shown);
  return isNews ? source : shown;
}

function codeBlock(open: boolean): Components['pre'] {
  return function Pre({ node }) {
    const code = node?.children[0];
    if (code?.type !== 'element') return null;
    const inside = code.children[0];
    const language = /language-(\S+)/.exec(String(code.properties.className ?? ''))?.[1];
    return <Code code={inside?.type === 'text' ? inside.value.replace(/\n$/, '') : ''} language={language} open={open} />;
  };
}

/** Headings of an answer stand below those of the page. */
function heading(level: 1 | 2 | 3 | 4 | 5 | 6): Components['h1'] {
  const Tag = `h${Math.min(level + 2, 6)}` as 'h3';
  return function Heading({ children, id, className = '' }) {
    return (
      <Tag id={id} className={`h${level} ${className}`}>
        {children}
      </Tag>
    );
  };
}

const components: Components = {
  a: ({ href, children, id }) => (
    <Link href={href} id={id}>
      {children}
    </Link>
  ),
  img: ({ src, alt }) => <Image src={src} alt={alt} />,
  table: ({ children }) => <Table>{children}</Table>,
  input: ({ checked }) => <input type="checkbox" checked={checked} disabled aria-label={checked ? say.task.done : say.task.open} />,
  pre: codeBlock(false),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
};

const openComponents: Components = { ...components, pre: codeBlock(true) };
