import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { ChangeSentence } from './change-sentence.tsx'
import { FocusedNotice } from './focused-notice.tsx'
import type { Conflict } from './read-conflict.ts'
import type { PartialSave } from './use-profile-edit.ts'

/** Says who was quicker and what changed. */
export function ConflictNotice({ conflict, advice }: { conflict: Conflict; advice: string }) {
  return (
    <FocusedNotice kind="warning" title="Nada foi sobrescrito: houve outra alteração nesse meio-tempo">
      <ul className="list-disc space-y-1 pl-4">
        {conflict.sentences.map((sentence) => (
          <li key={sentence}>
            <ChangeSentence text={sentence} />
          </li>
        ))}
      </ul>
      <p className="pt-2">{advice}</p>
    </FocusedNotice>
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
