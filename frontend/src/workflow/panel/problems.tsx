import { use } from 'react';
import type { FileProblem, WorkflowGraph } from '../../api/types.gen.ts';
import { useStore } from '../../ui/store.ts';
import { placeOf } from '../problems.ts';
import { panelText } from './text.ts';
import { FormsContext } from './use_field.ts';

const said = panelText.problems;

/** All that is wrong with the workflow, each a way to where it is. */
export function ProblemsTab({ onChoose }: { onChoose: (problem: FileProblem) => void }) {
  const { editor } = use(FormsContext);
  const problems = useStore(editor, state => state.problems);
  const graph = useStore(editor, state => state.graph);
  if (problems.length === 0) return <p className="text-sm text-soft">{said.none}</p>;
  return (
    <ul aria-label={panelText.tabs.problems} className="-mx-2 grid gap-1">
      {problems.map(problem => (
        <li key={`${problem.key} ${problem.line} ${problem.message}`}>
          <button type="button" onClick={() => onChoose(problem)} className="w-full rounded-md px-2 py-1.5 text-start hover:bg-hover">
            <span className="block text-sm break-words">{problem.message}</span>
            <span className="block text-xs break-words text-faint">{[...whereOf(graph, problem.key), said.place(problem.line, problem.column)].join(' · ')}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The node that a problem is with, and what of it. */
function whereOf(graph: WorkflowGraph, key = ''): string[] {
  return [placeOf(graph, key).node ?? [], key.replace(/^workflow\.?(nodes\[\d+\]\.?)?/, '') || []].flat();
}
