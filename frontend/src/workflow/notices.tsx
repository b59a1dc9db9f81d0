import { CloudOff, FileClock, FileWarning, History, Info, X, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import type { OpenWorkflow } from './open.ts';
import { workflowText } from './text.ts';

const said = workflowText.notice;

/** What a person has to know about a workflow before they go on, and what they can do about it. */
export function Notices({ open, onCopy }: { open: OpenWorkflow; onCopy: () => void }) {
  const { toasts, wire } = useParley();
  const { session, version, warnings, isRestored, theirs, unkept, unchecked } = useStore(open, state => state);
  const isConnected = useStore(wire, ({ state }) => state === 'open'); // if not, that is said already
  const [isReviewed, review] = useState(false);
  const discard = () => open.discard().catch((error: Error) => toasts.show(error.message));
  return (
    <div role="status" className="max-h-1/2 shrink-0 overflow-y-auto">
      {session && !version && !isReviewed && (
        <Notice icon={Info} says={said.scaffold}>
          <IconButton icon={X} label={text.close} onClick={() => review(true)} className="-me-2 size-7" />
          {warnings.length > 0 && (
            <ul className="w-full list-disc space-y-0.5 ps-11 break-words text-warn">
              {warnings.map(warning => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      {isRestored && !theirs && (
        <Notice icon={History} says={said.restored}>
          <Button onClick={() => void discard()}>{said.discard}</Button>
          <Button onClick={() => open.dismissRestored()}>{said.keep}</Button>
        </Notice>
      )}
      {theirs === 'gone' && (
        <Notice icon={FileWarning} says={said.gone} isWarning>
          <Button onClick={() => open.keepMine()}>{said.keep}</Button>
        </Notice>
      )}
      {theirs && theirs !== 'gone' && (
        <Notice icon={FileClock} says={said.theirs} isWarning>
          <Button onClick={() => open.takeTheirs()}>{said.reload}</Button>
          <Button onClick={() => open.keepMine()}>{said.mine}</Button>
          <Button onClick={onCopy}>{said.copy}</Button>
        </Notice>
      )}
      {isConnected && unkept && <Notice icon={CloudOff} says={said.unkept(unkept)} isWarning />}
      {isConnected && unchecked && <Notice icon={CloudOff} says={said.unchecked(unchecked)} isWarning />}
    </div>
  );
}

interface NoticeProps {
  icon: LucideIcon;
  says: string;
  isWarning?: boolean;
  children?: ReactNode;
}

function Notice({ icon: Icon, says, isWarning = false, children }: NoticeProps) {
  return (
    <div className={`flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-4 py-1.5 text-sm ${isWarning ? 'border-warn/30 bg-warn-tint text-warn' : 'border-line bg-panel'}`}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <p className="min-w-48 flex-1">{says}</p>
      {children}
    </div>
  );
}
