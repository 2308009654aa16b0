import { useState } from 'react'
import { PASSWORD_MIN, passwordMessages, REMEMBERED_PASSWORDS } from '#contract/passwords.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { NEW_PASSWORD_FIELDS, NewPasswordFields } from '#web/ui/new-password-fields.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { changePassword } from './change-password.ts'
import { checkChange } from './check-change.ts'

const labels = { password: 'Nova senha', confirmation: 'Confirmar nova senha' }

/** The card 'Alterar Senha' (SPEC sections 2, 5 and 8). */
export function ChangePasswordCard() {
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
    fields: NEW_PASSWORD_FIELDS,
    check: checkChange,
    async send({ password }) {
      const refusal = await changePassword(password, passwordMessages.changeFailed)
      if (refusal) {
        const { isAboutPassword, ...notice } = refusal
        showToast({ kind: 'error', ...notice })
        return isAboutPassword ? [{ field: 'password', message: notice.title }] : undefined
      }
      const description = 'As sessões abertas em outros dispositivos foram encerradas.'
      showToast({ kind: 'success', title: passwordMessages.changed, description })
      onChanged()
      return undefined
    },
  })
  return (
    <form {...formProps} className="space-y-5" aria-label="Alterar Senha">
      <NewPasswordFields labels={labels} errorOf={errorOf} minLength={PASSWORD_MIN} />
      <Button type="submit" isBusy={isBusy}>
        Alterar Senha
      </Button>
    </form>
  )
}
