import type { Card } from './card.ts';
import { writeFile } from './write_file.tsx';

/** Parts of a file that are replaced. What became of the file is shown as if it was written. */
export const editFile: Card = writeFile;
