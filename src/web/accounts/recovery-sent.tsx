import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { passwordMessages } from '#contract/passwords.ts'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

/** What /forgot-password shows once the mail is asked for; it does not say whether the address has an account. */
export function RecoverySent({ email, onAgain }: { email: string; onAgain: () => void }) {
  const notes = useRef<HTMLDivElement>(null)
  // The form and its focus are gone; this reads the notes out and keeps the keyboard near the buttons.
  useEffect(() => notes.current?.focus(), [])
  return (
    <VisitorPage title={passwordMessages.recoverSent}>
      <div ref={notes} tabIndex={-1} role="status" className="space-y-4 text-sm leading-relaxed outline-none">
        <p>
          Se houver uma conta com o e-mail <strong className="font-medium">{email}</strong>, você receberá um
          link para criar uma nova senha.
        </p>
        <ul className="list-disc space-y-2 pl-5 marker:text-muted">
          <li>O link expira em 1 hora e só pode ser usado uma vez.</li>
          <li>Não encontrou o e-mail? Verifique também a pasta de spam.</li>
        </ul>
      </div>
      <div className="grid gap-3">
        <Link to="/login" className={buttonClasses('primary', 'large')}>
          Voltar para o login
        </Link>
        <Button variant="secondary" size="large" onClick={onAgain}>
          Usar outro e-mail
        </Button>
      </div>
    </VisitorPage>
  )
}
