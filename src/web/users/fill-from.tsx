import type { Entitlements } from '#contract/entitlement-lists.ts'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { EntitlementList } from './entitlements.tsx'
import type { FillScope } from './fill-lists.ts'

export interface FillFromProps extends FillScope {
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
  /** The person being edited, excluded from the colleagues; undefined for many people. */
  userId?: string
  /** All three lists are shown, so they can be saved as a template. */
  canBeSaved?: boolean
  /** Offers to add a source to what is ticked, or to replace it. */
  canAddOrReplace?: boolean
}

/** The checkbox lists, with the panel that fills them on top. */
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

/** Templates, a colleague or the last save to fill checkboxes from; loaded late, works without. */
export function FillFrom(props: FillFromProps) {
  const panel = useOptionalChunk(loadPanel)
  return <div className="min-h-20">{panel && <panel.FillFromPanel {...props} />}</div>
}
