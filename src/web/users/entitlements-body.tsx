import { useRef } from 'react'
import { Alert } from '#web/ui/alert.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { ConflictNotice, PartialSaveNotice } from './conflict-notice.tsx'
import { EntitlementList, missingIn } from './entitlement-fields.tsx'
import { ENTITLEMENTS_DIALOGS, type EntitlementsKind } from './entitlement-texts.ts'
import type { EntitlementsForm } from './use-entitlements-form.ts'
import { useFocusWhenShown } from './use-focus-when-shown.ts'

interface EntitlementsBodyProps {
  kind: EntitlementsKind
  form: EntitlementsForm
}

/** What stands between title and buttons: the question about the address, the notices and the boxes. */
export function EntitlementsBody({ kind, form }: EntitlementsBodyProps) {
  const { lists } = ENTITLEMENTS_DIALOGS[kind]
  if (!form.base || !form.ticked) return <ListSkeletons count={lists.length} />
  if (form.mustAsk)
    return (
      <Alert kind="warning" title="E-mail não verificado">
        Ninguém provou ser dono do endereço {form.base.email}. Se não for da pessoa certa, quem criou a conta
        verá os relatórios. Aprovar mesmo assim?
      </Alert>
    )
  return (
    <div className="space-y-5">
      {form.conflict && (
        <ConflictNotice
          key={form.conflict.current.version}
          conflict={form.conflict}
          advice="O que você marcou continua abaixo."
        />
      )}
      {form.partial && (!form.conflict || form.partial.saved.length > 0) && (
        <PartialSaveNotice {...form.partial} />
      )}
      <Lists kind={kind} form={form} />
    </div>
  )
}

function Lists({ kind, form }: EntitlementsBodyProps) {
  const top = useRef<HTMLDivElement>(null)
  // The boxes come after the dialog: until then the focus stood on a button.
  useFocusWhenShown(top, 'input')
  const { ticked } = form
  if (!ticked) return null
  const missing = kind === 'approve' ? missingIn(ticked) : undefined
  return (
    <div ref={top} className="space-y-5">
      {ENTITLEMENTS_DIALOGS[kind].lists.map((name) => (
        <EntitlementList
          key={name}
          name={name}
          ticked={ticked}
          onChange={(next) => !form.isBusy && form.setTicked(next)}
        />
      ))}
      {kind === 'approve' && (
        <p role="status" className="min-h-5 text-muted text-sm">
          {missing}
        </p>
      )}
    </div>
  )
}

function ListSkeletons({ count }: { count: number }) {
  return (
    <div className="space-y-5">
      <p role="status" className="sr-only">
        Carregando…
      </p>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={index} className="h-28" />
      ))}
    </div>
  )
}
