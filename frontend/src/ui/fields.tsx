import { X } from 'lucide-react';
import { useId, type ReactNode, type Ref } from 'react';
import { Button, IconButton } from './button.tsx';
import { Select } from './select.tsx';
import { TextArea } from './textarea.tsx';

const box = 'rounded-md border border-line-strong bg-raised text-ink -outline-offset-1 aria-invalid:border-bad has-aria-invalid:border-bad';

interface LabelledProps {
  label: string;
  /** What is said under the box. */
  says?: string;
  /** What is wrong with what is in it. */
  problem?: string;
  id?: string;
  /** What else can be done with it, at the end of the label's line. */
  aside?: ReactNode;
}

interface Joined {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A box with its label, and what is said of it. */
function Labelled({ label, says, problem, id: given, aside, children }: LabelledProps & { children: (joined: Joined) => ReactNode }) {
  const own = useId();
  const id = given ?? own;
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between gap-2">
        <label htmlFor={id} className="block min-w-0 text-sm font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children({ id, 'aria-describedby': describe(id, says, problem), 'aria-invalid': problem ? true : undefined })}
      <Said id={id} says={says} className="mt-1" />
      <Wrong id={id} problem={problem} className="mt-1" />
    </div>
  );
}

/** The ids of what is said about something, and of what is wrong with it. */
function describe(id: string, says: string | undefined, problem: string | undefined): string | undefined {
  return [says && `${id}-says`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
}

function Said({ id, says, className }: { id: string; says: string | undefined; className: string }) {
  if (!says) return null;
  return (
    <p id={`${id}-says`} className={`text-xs text-faint ${className}`}>
      {says}
    </p>
  );
}

function Wrong({ id, problem, className }: { id: string; problem: string | undefined; className: string }) {
  if (!problem) return null;
  return (
    <p id={`${id}-problem`} className={`text-xs break-words text-bad ${className}`}>
      {problem}
    </p>
  );
}

interface FieldProps extends LabelledProps {
  value: string;
  onChange: (value: string) => void;
  isCode?: boolean;
  isRequired?: boolean;
  isFixed?: boolean;
  /** Whether it is where a person begins. */
  isFirst?: boolean;
  /** What may be meant. */
  offers?: readonly string[];
  onBlur?: () => void;
}

/** One line of text. */
export function Field({ value, onChange, isCode = false, isRequired = false, isFixed = false, isFirst = false, offers, onBlur, ...labelled }: FieldProps) {
  return (
    <Labelled {...labelled}>
      {joined => (
        <>
          <input
            {...joined}
            value={value}
            required={isRequired}
            data-focus={isFirst || undefined}
            disabled={isFixed}
            dir="auto"
            spellCheck={!isCode}
            autoComplete="off"
            autoCapitalize={isCode ? 'none' : undefined}
            list={offers && `${joined.id}-offers`}
            onChange={event => onChange(event.target.value)}
            onBlur={onBlur}
            className={`mt-1 h-9 w-full px-3 text-sm disabled:opacity-60 ${box} ${isCode ? 'font-mono' : ''}`}
          />
          {offers && (
            <datalist id={`${joined.id}-offers`}>
              {offers.map(each => (
                <option key={each}>{each}</option>
              ))}
            </datalist>
          )}
        </>
      )}
    </Labelled>
  );
}

interface LongFieldProps extends LabelledProps {
  value: string;
  onChange: (value: string) => void;
  isCode?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** A text of several lines. */
export function LongField({ value, onChange, isCode = false, ref, ...labelled }: LongFieldProps) {
  return (
    <Labelled {...labelled}>
      {joined => (
        <div className={`mt-1 has-focus-visible:outline-2 has-focus-visible:outline-accent ${box} ${isCode ? 'font-mono text-code' : 'min-h-24 text-sm'}`}>
          <TextArea
            {...joined}
            ref={ref}
            label={labelled.label}
            value={value}
            onWrite={onChange}
            spellCheck={!isCode}
            className={`px-3 py-2 ${isCode ? 'min-h-16' : 'min-h-24'}`}
          />
        </div>
      )}
    </Labelled>
  );
}

interface ChoiceProps extends LabelledProps {
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

/** One of a few. */
export function Choice({ value, options, onChange, ...labelled }: ChoiceProps) {
  return (
    <Labelled {...labelled}>
      {joined => <Select {...joined} label={labelled.label} value={value} options={options} onChoose={onChange} className={`mt-1 h-9 text-sm ${box}`} />}
    </Labelled>
  );
}

interface GroupProps extends Omit<LabelledProps, 'label'> {
  title: string;
  children: ReactNode;
}

/** Fields that belong together. */
export function Group({ title, says, problem, id: given, aside, children }: GroupProps) {
  const own = useId();
  const id = given ?? own;
  const described = describe(id, says, problem);
  return (
    <fieldset id={id} aria-describedby={described} className="relative min-w-0 border-t border-line pt-4">
      <legend className="float-start w-full pb-1 text-sm font-medium">{title}</legend>
      {aside && <div className="absolute end-0 top-3">{aside}</div>}
      <div className="clear-both">
        <Said id={id} says={says} className="mb-2" />
        <Wrong id={id} problem={problem} className="mb-2" />
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
