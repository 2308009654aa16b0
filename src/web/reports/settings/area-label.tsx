import { classNames } from '#web/ui/class-names.ts'

export type AreaState = 'configured' | 'empty' | 'changed'

const LOOKS: Record<AreaState, { dot: string; text: string }> = {
  configured: { dot: 'rounded-full bg-success', text: 'com relatório' },
  empty: { dot: 'rounded-full border border-line-strong', text: 'sem relatório' },
  changed: { dot: 'rotate-45 rounded-[1px] bg-warning', text: 'com alterações não salvas' },
}

/** An area's name with a dot for how it stands; the dot's meaning is there for screen readers too. */
export function AreaLabel({ name, state }: { name: string; state: AreaState }) {
  return (
    // Positioned, so that what is for screen readers alone scrolls with the tabs instead of widening the page.
    <span className="relative inline-flex items-center gap-2">
      <StateDot state={state} />
      {name}
      <span className="sr-only"> {LOOKS[state].text}</span>
    </span>
  )
}

/** What the dots mean; only for the eye, since every tab says it itself. */
export function AreaLegend() {
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
      {(['configured', 'empty', 'changed'] as const).map((state) => (
        <li key={state} className="inline-flex items-center gap-1.5">
          <StateDot state={state} />
          {LOOKS[state].text}
        </li>
      ))}
    </ul>
  )
}

function StateDot({ state }: { state: AreaState }) {
  return <span aria-hidden="true" className={classNames('size-2 shrink-0', LOOKS[state].dot)} />
}
