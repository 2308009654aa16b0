import Check from 'lucide-react/icons/check'
import Circle from 'lucide-react/icons/circle'
import { RESET_PASSWORD_MIN } from '#contract/passwords.ts'

/** SPEC section 2, /reset-password. */
const REQUIREMENTS: readonly [text: string, isMet: (password: string) => boolean][] = [
  [`Mínimo de ${RESET_PASSWORD_MIN} caracteres`, (password) => password.length >= RESET_PASSWORD_MIN],
  ['Letras maiúsculas e minúsculas', (password) => /\p{Lu}/u.test(password) && /\p{Ll}/u.test(password)],
  ['Números', (password) => /\p{Nd}/u.test(password)],
  ['Caracteres especiais', (password) => /[^\p{L}\p{Nd}]/u.test(password)],
]

/** What a new password should have, ticked off while it is typed. */
export function PasswordRequirements({ password }: { password: string }) {
  return (
    <div className="rounded-lg border border-line bg-canvas p-4 text-sm">
      <p className="font-medium">Requisitos da senha</p>
      <ul className="mt-2 space-y-1 text-muted">
        {REQUIREMENTS.map(([text, isMet]) => {
          const isDone = isMet(password)
          const Icon = isDone ? Check : Circle
          return (
            <li key={text} className="flex items-center gap-2">
              <Icon aria-hidden="true" className={`size-3.5 shrink-0 ${isDone ? 'text-success' : ''}`} />
              {text}
              {isDone && <span className="sr-only"> (atendido)</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
