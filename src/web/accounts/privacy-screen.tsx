import { Link } from '@tanstack/react-router'
import { KEPT_DATA } from '#contract/privacy.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { useSession } from '#web/session/session.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

/** /privacidade: what the portal keeps of people, why and for how long, and how to ask. */
export function PrivacyScreen() {
  const { groupName, privacy, humanCheck } = portalSettings
  const isSignedIn = useSession() !== undefined
  return (
    <VisitorPage
      title="Privacidade"
      hasPanel={false}
      isWide
      description={`O que o portal de relatórios de ${groupName} guarda de você, para quê e por quanto tempo, como está configurado hoje.`}
    >
      <dl className="divide-y divide-line border-line border-y text-sm">
        {KEPT_DATA.map(({ what, why, period }) => (
          <div key={what} className="space-y-1 py-3 sm:grid sm:grid-cols-[1fr_15rem] sm:gap-x-8">
            <dt className="font-medium">{what}</dt>
            <dd className="text-muted">{why}.</dd>
            {privacy && (
              <dd className="sm:col-start-2 sm:row-span-2 sm:row-start-1">Prazo: {period(privacy)}</dd>
            )}
          </div>
        ))}
      </dl>
      <section aria-labelledby="pedidos" className="space-y-3 text-sm leading-relaxed">
        <h2 id="pedidos" className="font-semibold text-lg">
          Como pedir
        </h2>
        <p>
          A lei (LGPD, artigo 18) dá a você o direito de saber o que está guardado, de corrigir e de excluir.{' '}
          {isSignedIn ? (
            <>
              Em{' '}
              <Link to="/profile/seguranca" hash="meus-dados" className={textLinkClasses}>
                Meus dados
              </Link>{' '}
              você baixa tudo de uma vez.
            </>
          ) : (
            'Depois de entrar, você baixa tudo de uma vez em “Segurança”, na sua conta.'
          )}
        </p>
        <Officer officer={privacy?.officer} groupName={groupName} />
        <p>
          Para corrigir, excluir a conta ou perguntar,{' '}
          <Link to="/contato" className={textLinkClasses}>
            escreva aos administradores
          </Link>
          . Na exclusão, o registro de acesso e o histórico ficam até o fim do prazo, sem o seu nome e o seu
          e-mail.
        </p>
        <p>
          O portal não usa cookies nem serviços de terceiros para acompanhar você. Os relatórios vêm do Power
          BI, da Microsoft, que recebe o seu e-mail para mostrar só os seus dados.
          {humanCheck.kind === 'recaptcha' && ' A verificação humana é o reCAPTCHA, do Google.'}
        </p>
      </section>
      <p className="text-sm">
        <Link to="/" className={textLinkClasses}>
          Voltar ao portal
        </Link>
      </p>
    </VisitorPage>
  )
}

/** Names who answers for the data (LGPD, article 41), or says that the group has named nobody. */
function Officer({ officer, groupName }: { officer: string | undefined; groupName: string }) {
  const [, name = '', email = officer] = /^(.+) <(.+)>$/.exec(officer ?? '') ?? []
  if (!email)
    return (
      <p>
        Quem responde pelos seus dados é a empresa que mantém este portal, {groupName}. Ela ainda não informou
        aqui o encarregado (LGPD, artigo 41): pergunte aos administradores quem é.
      </p>
    )
  return (
    <p>
      Quem responde pelos seus dados é {groupName}. O encarregado (LGPD, artigo 41) é {name && `${name}, `}
      <a href={`mailto:${email}`} className={textLinkClasses}>
        {email}
      </a>
      .
    </p>
  )
}
