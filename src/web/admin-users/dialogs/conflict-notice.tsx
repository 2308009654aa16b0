import { useRef } from 'react'
import type { Conflict } from '#web/admin-users/changes/read-conflict.ts'
import type { PartialSave } from '#web/admin-users/changes/use-profile-edit.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChangeSentence } from './change-sentence.tsx'
import { useFocusWhenShown } from './use-focus-when-shown.ts'

/** Says who was quicker and what changed. It takes the focus: the button that was pressed means something else now. */
export function ConflictNotice({ conflict, advice }: { conflict: Conflict; advice: string }) {
  const notice = useRef<HTMLDivElement>(null)
  useFocusWhenShown(notice)
  return (
    <div ref={notice} tabIndex={-1} className="rounded-lg">
      <Alert kind="warning" title="Nada foi sobrescrito: houve outra alteração nesse meio-tempo">
        <ul className="list-disc space-y-1 pl-4">
          {conflict.sentences.map((sentence) => (
            <li key={sentence}>
              <ChangeSentence text={sentence} />
            </li>
          ))}
        </ul>
        <p className="pt-2">{advice}</p>
      </Alert>
    </div>
  )
}

interface ConflictActionsProps {
  onUseCurrent: () => void
  onSaveAnyway: () => void
}

/** The two ways on: by the state that somebody else has left, or over it. */
export function ConflictActions({ onUseCurrent, onSaveAnyway }: ConflictActionsProps) {
  return (
    <>
      <Button variant="secondary" onClick={onUseCurrent}>
        Usar o estado atual
      </Button>
      <Button onClick={onSaveAnyway}>Salvar mesmo assim</Button>
    </>
  )
}

/** What a save that broke off has left behind. */
export function PartialSaveNotice({ saved, unsaved }: PartialSave) {
  const list = (names: string[]) => new Intl.ListFormat('pt-BR').format(names)
  return (
    <Alert kind="error" title="A pessoa ainda não foi aprovada">
      {saved.length > 0 ? `Salvo: ${list(saved)}. ` : 'Nada foi salvo. '}
      {`Não salvo: ${list(unsaved)}. Tente novamente para salvar o que falta.`}
    </Alert>
  )
}
