import type { KeyboardEvent, ReactNode } from 'react';

interface TabsProps<Tab extends string> {
  label: string;
  tabs: readonly (readonly [tab: Tab, label: string, count?: number])[];
  chosen: Tab;
  onChoose: (tab: Tab) => void;
  /** What the chosen tab shows. */
  children: ReactNode;
}

/** Several panels, of which one is shown. Arrow keys move between their tabs. */
export function Tabs<Tab extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Tab>) {
  const press = (event: KeyboardEvent) => {
    const index = tabs.findIndex(([tab]) => tab === chosen);
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const [tab] = tabs.at(to % tabs.length)!;
    onChoose(tab);
    document.getElementById(`tab-${tab}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="flex shrink-0 overflow-x-auto border-b border-line px-2.5 [scrollbar-width:none]">
        {tabs.map(([tab, name, count = 0]) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === chosen}
            aria-controls={tab === chosen ? 'tab-panel' : undefined}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => onChoose(tab)}
            onKeyDown={press}
            className="-mb-px flex h-9 shrink-0 items-center gap-1 border-b-2 border-transparent px-1.5 text-xs text-soft -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
          >
            {name}
            {count > 0 && <span className="rounded-full bg-bad-tint px-1.5 text-bad tabular-nums">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`} className="min-h-0 flex-1 overflow-y-auto">
        {children}
      </div>
    </>
  );
}
