import { Link } from '@tanstack/react-router'
import { buttonClasses } from '#web/ui/button.tsx'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

/** What /reset-password shows without a link that is still good: why, and the way on. */
export function RecoveryEnded() {
  return (
    <VisitorPage
      title="Link inválido ou expirado"
      description="O link para criar uma nova senha vale por 1 hora e só pode ser usado uma vez. Depois de aberto, a senha precisa ser criada em até 15 minutos. Se você pediu mais de um e-mail, apenas o link do mais recente funciona."
    >
      <div className="grid gap-3">
        <Link to="/forgot-password" className={buttonClasses('primary', 'large')}>
          Pedir um novo link
        </Link>
        <Link to="/login" className={buttonClasses('secondary', 'large')}>
          Voltar para o login
        </Link>
      </div>
    </VisitorPage>
  )
}
