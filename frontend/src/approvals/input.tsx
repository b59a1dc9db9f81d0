import { MessageCircleQuestion } from 'lucide-react';
import { useState } from 'react';
import type { Decision } from '../api/types.gen.ts';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { argument } from '../tools/call.ts';
import { Button } from '../ui/button.tsx';
import { text } from '../ui/text.ts';
import { QuestionCard } from './card.tsx';
import { fieldsOf, Form } from './form.tsx';

interface InputProps {
  session: OpenSession;
  question: Extract<Question, { kind: 'input' }>;
  place: [n: number, of: number];
}

/** Asks a person something, where the call is made that waits for it. */
export function InputCard({ session, question, place }: InputProps) {
  const title = argument(question.asks, 'question') ?? text.question.input;
  return (
    <QuestionCard session={session} question={question} place={place} icon={MessageCircleQuestion} title={title}>
      {cannot => <AnswerForm asks={question.asks} cannot={cannot} onAnswer={decision => void session.questions.answer(question.id, decision)} />}
    </QuestionCard>
  );
}

interface AnswerFormProps {
  /** What is asked. */
  asks: unknown;
  cannot: boolean;
  onAnswer: (decision: Decision) => void;
}

/** Takes an answer in the person's words, by one of those that are offered, or by a form. */
export function AnswerForm({ asks, cannot, onAnswer }: AnswerFormProps) {
  const [said, write] = useState('');
  const { options: offered, schema } = (asks ?? {}) as { options?: unknown; schema?: unknown };
  const options = Array.isArray(offered) ? offered.filter(option => typeof option === 'string') : [];
  const fields = fieldsOf(schema);
  const answer = (output: unknown) => onAnswer({ output });
  const decline = (
    <Button className="disabled:opacity-100" disabled={cannot} onClick={() => onAnswer({ approved: false })}>
      {text.question.decline}
    </Button>
  );
  return (
    <>
      {options.length > 0 && (
        <div className="mt-2 flex flex-wrap gap-2">
          {options.map(option => (
            <Button key={option} className="disabled:opacity-100" disabled={cannot} onClick={() => answer(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      {fields.length > 0 ? (
        <Form fields={fields} cannot={cannot} send={answer}>
          {decline}
        </Form>
      ) : (
        <form
          className="mt-2 flex gap-2"
          onSubmit={event => {
            event.preventDefault();
            if (said.trim()) answer(said.trim());
          }}
        >
          <input
            value={said}
            dir="auto"
            aria-label={text.question.answer}
            placeholder={text.question.answer}
            onChange={event => write(event.target.value)}
            className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-2.5 placeholder:text-faint"
          />
          <Button type="submit" disabled={!said.trim()}>
            {text.question.send}
          </Button>
          {decline}
        </form>
      )}
    </>
  );
}
