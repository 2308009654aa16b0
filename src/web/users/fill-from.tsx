import type { Entitlements } from '#contract/held-lists.ts'
import { useLateChunk } from '#web/http/load-chunk.ts'
import { EntitlementList } from './entitlements.tsx'
import type { Filling } from './fill-lists.ts'

export interface FillFromProps extends Filling {
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
  /** Whose entitlements are ticked, who is no colleague of their own; undefined for many. */
  userId?: string
  /** All three lists are shown, so that they can be saved as a template. */
  canBeSaved?: boolean
}

/** The lists to tick, below what fills them at one press. */
export function EntitlementLists(props: FillFromProps) {
  const { lists, ticked, held, onChange } = props
  return (
    <>
      <FillFrom {...props} />
      {lists.map((name) => (
        <EntitlementList key={name} {...{ name, ticked, held, onChange }} />
      ))}
    </>
  )
}

const loadPanel = () => import('./fill-from-panel.tsx')

/** Templates, a colleague or the last ticks to fill boxes with; it comes behind the boxes, which work without it. */
export function FillFrom(props: FillFromProps) {
  const panel = useLateChunk(loadPanel)
  return <div className="min-h-20">{panel && <panel.FillFromPanel {...props} />}</div>
}
