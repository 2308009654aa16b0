import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  changePasswordFormSchema,
  PASSWORD_MIN,
  passwordMessages,
  REMEMBERED_PASSWORDS,
} from '#contract/passwords.ts'
import { callApi } from '#web/http/api.ts'
import { type StoredSession, useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmailField, TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { changePassword, explainRefusal } from './change-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

const ownProfileQuery = (userId: string) =>
  queryOptions({
    queryKey: ['own-profile', userId],
    queryFn: ({ signal }) => callApi('GET /api/profiles/me', { signal }),
  })

/** /profile, 'Minha Conta': the account's data and a new password. */
export function ProfileScreen() {
  const user = useSession()?.user
  return (
    <div className="mx-auto w-full max-w-xl space-y-6 px-4 py-8 sm:py-10">
      <h1 className="font-semibold text-2xl tracking-tight">Minha Conta</h1>
      {user && <OwnAccountCard user={user} />}
      <ChangePasswordCard />
    </div>
  )
}

/** The e-mail, which cannot be changed, and the name, where there is one. */
function OwnAccountCard({ user }: { user: StoredSession['user'] }) {
  const { data, error } = useQuery(ownProfileQuery(user.id))
  useEffect(() => {
    if (error) console.warn('The profile could not be read', error)
  }, [error])
  // What the session knows stands from the first moment, and when the profile cannot be read.
  const name = data ? data.full_name : user.user_metadata?.full_name
  return (
    <Card className="space-y-5">
      <h2 className="font-semibold text-lg">Dados da conta</h2>
      <EmailField readOnly value={data?.email ?? user.email} hint="O e-mail não pode ser alterado." />
      {name && <TextField label="Nome" name="full_name" readOnly value={name} />}
    </Card>
  )
}

function ChangePasswordCard() {
  const [changes, setChanges] = useState(0)
  return (
    <Card className="space-y-5">
      <div className="space-y-2">
        <h2 className="font-semibold text-lg">Alterar Senha</h2>
        <ul className="list-disc space-y-1 pl-5 text-muted text-sm">
          <li>A senha deve ter no mínimo {PASSWORD_MIN} caracteres.</li>
          <li>As últimas {REMEMBERED_PASSWORDS} senhas não podem ser reutilizadas.</li>
        </ul>
      </div>
      {/* A new key clears fields, errors and meter. */}
      <ChangePasswordForm key={changes} onChanged={() => setChanges(changes + 1)} />
    </Card>
  )
}

function ChangePasswordForm({ onChanged }: { onChanged: () => void }) {
  const { formProps, isBusy, errorOf } = useForm({
    schema: changePasswordFormSchema,
    explain: (error) => explainRefusal(error, passwordMessages.changeFailed),
    async send({ password }) {
      await changePassword(password)
      const description = 'As sessões abertas em outros dispositivos foram encerradas.'
      showToast({ kind: 'success', title: passwordMessages.changed, description })
      onChanged()
    },
  })
  return (
    <form {...formProps} className="space-y-5" aria-label="Alterar Senha">
      <NewPasswordFields errorOf={errorOf} minLength={PASSWORD_MIN} />
      <Button type="submit" isBusy={isBusy}>
        Alterar Senha
      </Button>
    </form>
  )
}
