import { Link } from '@tanstack/react-router'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { saveFile } from '#web/http/save-file.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'

/** 'Meus dados': downloads everything that the portal holds of the person (LGPD). */
export function OwnDataCard() {
  const { submit, isBusy } = useSubmit({
    send: () => callApi('GET /api/profiles/me/export'),
    onDone(data) {
      const name = `meus-dados-${toSaoPauloDay(Date.now())}.json`
      saveFile(name, new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }))
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
        <Button variant="secondary" isBusy={isBusy} onClick={() => void submit()}>
          Baixar meus dados
        </Button>
      </div>
      <p className="text-muted text-sm">
        Um arquivo JSON com tudo o que o portal guarda sobre você, menos senhas e códigos. O que é guardado,
        para quê e por quanto tempo está em{' '}
        <Link to="/privacidade" className={textLinkClasses}>
          Privacidade
        </Link>
        .
      </p>
    </Card>
  )
}
