import { createContext } from 'react';

/** Whether what is shown belongs to the last turn, and that turn is over: only then it can be answered again. */
export const CanRetry = createContext(false);
