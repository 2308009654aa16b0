import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { type HistoryEntry, UNDOABLE_THINGS } from '#contract/audit-actions.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { FormDialog } from '#web/ui/dialog.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { undoChange } from './undo-change.ts'

type Entry = Pick<HistoryEntry, 'action' | 'after' | 'undo_id'> & { people?: number | undefined }

/** What can be done about an entry of the trail: undo it, or go back to the setting that it saved. */
export function EntryActions({ entry }: { entry: Entry }) {
  const { action, after, undo_id } = entry
  // Further reports have a place, and forms of their own.
  const isSetting = action === 'report-setting-saved' && after !== null && !('position' in after)
  return (
    <>
      {undo_id && <UndoEntry id={undo_id} entry={entry} />}
      {isSetting && (
        <Link
          to="/admin/relatorios"
          search={{ area: String(after.type) }}
          state={{ reportSetting: after }}
          className={textLinkClasses}
        >
          Voltar a este
        </Link>
      )}
    </>
  )
}

function UndoEntry({ id, entry: { action, people } }: { id: string; entry: Entry }) {
  const [isAsking, setIsAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => setIsAsking(false)
  const { submit, isBusy } = useSubmit({ send: () => undoChange(id), onDone: close, onFailed: close })
  const isThing = UNDOABLE_THINGS.some((each) => each === action)
  return (
    <>
      <button ref={button} type="button" className={textLinkClasses} onClick={() => setIsAsking(true)}>
        Desfazer esta alteração
      </button>
      {isAsking && (
        <FormDialog
          title="Desfazer esta alteração?"
          description={
            isThing
              ? 'Tudo volta a ser como era antes dela, se ninguém mudou isto depois.'
              : `${people ? `As ${people.toLocaleString('pt-BR')} pessoas` : 'Todos os'} que ela mudou voltam ao que tinham, menos quem foi alterado depois. Quem já recebeu o e-mail recebe outro.`
          }
          confirmLabel="Desfazer"
          isBusy={isBusy}
          // The button goes with what can be undone.
          finalFocus={() => button.current?.closest('details')?.querySelector('summary')}
          onSubmit={() => void submit()}
          onCancel={close}
        />
      )}
    </>
  )
}
