import { useRef } from 'react';
import type { Mode } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';

interface ModePickerProps {
  mode: Mode;
  onChoose: (mode: Mode) => void;
}

/** What the agent may do without asking. It holds at once, but for what a program that runs decides by itself. */
export function ModePicker({ mode, onChoose }: ModePickerProps) {
  return (
    <Select
      label={text.mode.choose}
      hint={text.mode.means[mode]}
      value={mode}
      options={Object.entries(text.mode.names)}
      onChoose={chosen => onChoose(chosen as Mode)}
      className={`h-8 text-sm ${mode === 'auto' ? '*:text-warn' : ''}`}
    />
  );
}

/** Changes the mode of a session. What is sent waits for that: it is meant for the mode that was chosen. */
export function useModeChange(session: string) {
  const { client, toasts } = useParley();
  const changing = useRef<Promise<boolean>>(undefined);
  const refused = (error: Error) => {
    toasts.show(error.message);
    return false;
  };
  return {
    changeMode: (mode: Mode) => {
      changing.current = client.change(session, { mode }).then(changed => {
        if (changed.modeKept) toasts.show(text.mode.kept(text.mode.names[mode]));
        return true;
      }, refused);
    },
    /** Whether the mode is the chosen one. Once it was said that it is not, it stays as it was. */
    isChanged: async () => {
      const last = changing.current;
      const is = (await last) ?? true;
      if (changing.current === last) changing.current = undefined;
      return is;
    },
  };
}
