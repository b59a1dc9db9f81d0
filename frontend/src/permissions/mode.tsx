import type { Mode } from '../api/types.gen.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';

interface ModePickerProps {
  mode: Mode;
  onChoose: (mode: Mode) => void;
}

/** What the agent may do without asking. It holds from the next turn on, and when one that waits goes on. */
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
