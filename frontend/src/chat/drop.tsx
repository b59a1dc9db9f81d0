import { useEffect, useEffectEvent, useState } from 'react';
import { text } from '../ui/text.ts';

/** While files are held over the page, that is heard several times in this many milliseconds. Not every page hears them leave. */
const heldFor = 400;

/** Takes files that are dropped anywhere on the page, which the browser would go to otherwise. Says whether some are held over it. */
export function useDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const held = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      clearTimeout(timer);
      timer = setTimeout(() => setOver(false), heldFor);
      setOver(true);
    };
    const dropped = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      clearTimeout(timer);
      setOver(false);
      take([...event.dataTransfer.files]);
    };
    window.addEventListener('dragover', held);
    window.addEventListener('drop', dropped);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('dragover', held);
      window.removeEventListener('drop', dropped);
    };
  }, []);
  return isOver;
}

/** Lies over the session while files are held over the page. */
export function DropHint() {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-canvas/85 text-accent">
      {text.attach.drop}
    </div>
  );
}
