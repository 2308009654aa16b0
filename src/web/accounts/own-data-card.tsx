import { Link } from '@tanstack/react-router'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { saveFile } from '#web/http/save-file.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

/** 'Meus dados': downloads everything that the portal holds of the person (LGPD), to read or as JSON. */
export function OwnDataCard() {
  const { submit, isBusy } = useSubmit({
    async send(type: 'html' | 'json') {
      const [data, { formatOwnData }] = await Promise.all([
        callApi('GET /api/profiles/me/export'),
        loadChunk(() => import('#contract/own-data.ts')),
      ])
      const page = type === 'html'
      return {
        type,
        text: page ? formatOwnData(data, portalSettings.groupName) : JSON.stringify(data, null, 2),
      }
    },
    onDone({ type, text }) {
      const name = `meus-dados-${toSaoPauloDay(Date.now())}.${type}`
      saveFile(name, new Blob([text], { type: type === 'html' ? 'text/html' : 'application/json' }))
      showToast({ kind: 'success', title: 'Seus dados foram baixados', description: name })
    },
    onFailed: 'Seus dados não puderam ser baixados',
  })
  return (
    <Card className="space-y-4">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 id="meus-dados" className="font-semibold text-lg">
          Meus dados
        </h2>
        <Button variant="secondary" isBusy={isBusy} onClick={() => void submit('html')}>
          Baixar meus dados
        </Button>
      </div>
      <p className="text-muted text-sm">
        Uma página com tudo o que o portal guarda sobre você, menos senhas e códigos, para abrir no navegador.
        Para levar a outro sistema,{' '}
        <button type="button" className={textLinkClasses} onClick={() => void submit('json')}>
          baixe em JSON
        </button>
        . O que é guardado, para quê e por quanto tempo está em{' '}
        <Link to="/privacidade" className={textLinkClasses}>
          Privacidade
        </Link>
        .
      </p>
    </Card>
  )
}
