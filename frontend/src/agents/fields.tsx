import { X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { TextArea } from '../ui/textarea.tsx';

const box = 'rounded-md border border-line-strong bg-raised text-ink -outline-offset-1';

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What is said under the box. */
  says?: string;
  isCode?: boolean;
  isRequired?: boolean;
  isFixed?: boolean;
  /** Whether it is where a person begins. */
  isFirst?: boolean;
}

/** One line of text. */
export function Field({ label, value, onChange, says, isCode = false, isRequired = false, isFixed = false, isFirst = false }: FieldProps) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        value={value}
        required={isRequired}
        data-focus={isFirst || undefined}
        disabled={isFixed}
        dir="auto"
        spellCheck={!isCode}
        autoComplete="off"
        autoCapitalize={isCode ? 'none' : undefined}
        aria-describedby={says && `${id}-says`}
        onChange={event => onChange(event.target.value)}
        className={`mt-1 h-9 w-full px-3 text-sm disabled:opacity-60 ${box} ${isCode ? 'font-mono' : ''}`}
      />
      {says && (
        <p id={`${id}-says`} className="mt-1 text-xs text-faint">
          {says}
        </p>
      )}
    </div>
  );
}

interface LongFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  says: string;
  isCode?: boolean;
}

/** A text of several lines. */
export function LongField({ label, value, onChange, says, isCode = false }: LongFieldProps) {
  return (
    <div>
      <p aria-hidden className="text-sm font-medium">
        {label}
      </p>
      <div className={`mt-1 has-focus-visible:outline-2 has-focus-visible:outline-accent ${box} ${isCode ? 'font-mono text-code' : 'min-h-24 text-sm'}`}>
        <TextArea label={label} value={value} onWrite={onChange} spellCheck={!isCode} className={`px-3 py-2 ${isCode ? 'min-h-16' : 'min-h-24'}`} />
      </div>
      <p className="mt-1 text-xs text-faint">{says}</p>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

/** One of a few. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <div className="min-w-0">
      <p aria-hidden className="text-sm font-medium">
        {label}
      </p>
      <Select label={label} value={value} options={options} onChoose={onChange} className={`mt-1 h-9 text-sm ${box}`} />
    </div>
  );
}

interface GroupProps {
  title: string;
  says?: string;
  children: ReactNode;
}

/** Fields that belong together. */
export function Group({ title, says, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={says && id} className="min-w-0 border-t border-line pt-4">
      <legend className="float-start w-full pb-1 text-sm font-medium">{title}</legend>
      <div className="clear-both">
        {says && (
          <p id={id} className="mb-2 text-xs text-faint">
            {says}
          </p>
        )}
        {children}
      </div>
    </fieldset>
  );
}

interface ChecksProps {
  all: string[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

/** Any of several, which keep their order. */
export function Checks({ all, chosen, onChange }: ChecksProps) {
  return (
    <div className="grid gap-x-4 gap-y-1 empty:hidden sm:grid-cols-2">
      {all.map(each => (
        <label key={each} className="flex min-w-0 items-center gap-2 py-0.5 font-mono text-code">
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={event => onChange(all.filter(other => (other === each ? event.target.checked : chosen.includes(other))))}
            className="size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 break-all">{each}</span>
        </label>
      ))}
    </div>
  );
}

interface RowsProps<Row> {
  rows: Row[];
  children: (row: Row, change: (row: Row) => void, n: number) => ReactNode;
  onChange: (rows: Row[]) => void;
  added: Row;
  add: string;
  remove: (n: number) => string;
}

/** Rows of fields, which can be added and removed. */
export function Rows<Row>({ rows, children, onChange, added, add, remove }: RowsProps<Row>) {
  return (
    <>
      <ul className="grid gap-2 empty:hidden">
        {rows.map((row, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a row is what is at its place
          <li key={i} className="flex items-center gap-2">
            {children(row, changed => onChange(rows.with(i, changed)), i + 1)}
            <IconButton icon={X} label={remove(i + 1)} onClick={() => onChange(rows.toSpliced(i, 1))} className="size-7" />
          </li>
        ))}
      </ul>
      <Button className={rows.length > 0 ? 'mt-2' : ''} onClick={() => onChange([...rows, added])}>
        {add}
      </Button>
    </>
  );
}

interface CellProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The id of a list of what may be meant. */
  list?: string;
}

/** A field in a row. */
export function Cell({ label, value, onChange, list }: CellProps) {
  return (
    <input
      aria-label={label}
      value={value}
      list={list}
      dir="auto"
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="none"
      onChange={event => onChange(event.target.value)}
      className={`h-8 w-full min-w-0 flex-1 px-2 font-mono text-code ${box}`}
    />
  );
}
