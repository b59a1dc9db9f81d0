import { Store } from './store.ts';

const shownFor = 8_000;

export interface Toast {
  id: number;
  message: string;
  action?: { label: string; run: () => void };
}

/** Short messages that go away by themselves. */
export class Toasts extends Store<{ toasts: Toast[] }> {
  #last = 0;

  constructor() {
    super({ toasts: [] });
  }

  show(message: string, action?: Toast['action']): void {
    const id = ++this.#last;
    this.set({ toasts: [...this.value.toasts, { id, message, action }] });
    setTimeout(() => this.dismiss(id), shownFor);
  }

  dismiss(id: number): void {
    this.set({ toasts: this.value.toasts.filter(toast => toast.id !== id) });
  }
}
