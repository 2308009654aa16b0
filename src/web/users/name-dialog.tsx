import { type FormEvent, useId, useState } from 'react'
import { MAX_NAME_LENGTH } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { ConflictNotice, Person, PersonGone } from './dialog-notices.tsx'
import { useProfileEdit } from './use-profile-edit.ts'

const TEXTS = { saved: 'Nome corrigido', failed: 'Erro ao corrigir o nome' }

/** 'Corrigir Nome': what the person is called. */
export function NameDialog({ person, onClose }: { person: ManagedProfile; onClose: () => void }) {
  const formId = useId()
  const { conflict, isGone, isBusy, save } = useProfileEdit(person, TEXTS, onClose)
  const [name, setName] = useState(person.full_name ?? '')
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) save({ full_name: name.trim() }, conflict?.current ?? person)
    else setError('Informe o nome')
  }
  const close = isBusy ? undefined : onClose
  return (
    <Dialog
      isOpen
      title="Corrigir Nome"
      description={<Person person={person} />}
      onClose={close}
      hasChanges={!isGone && name !== (person.full_name ?? '')}
      actions={
        <>
          <Button variant="secondary" onClick={close}>
            {isGone ? 'Fechar' : 'Cancelar'}
          </Button>
          {!isGone && (
            <Button key={conflict?.current.version} type="submit" form={formId} isBusy={isBusy}>
              {conflict ? 'Salvar mesmo assim' : 'Salvar'}
            </Button>
          )}
        </>
      }
    >
      {isGone ? (
        <PersonGone />
      ) : (
        <form id={formId} onSubmit={submit} aria-label="Corrigir Nome" className="space-y-4">
          {conflict && (
            <ConflictNotice conflict={conflict} advice="O nome que você escreveu continua abaixo." />
          )}
          <TextField
            label="Nome"
            autoComplete="off"
            maxLength={MAX_NAME_LENGTH}
            value={name}
            onChange={({ target }) => {
              setName(target.value)
              setError(undefined)
            }}
            error={error}
          />
        </form>
      )}
    </Dialog>
  )
}
