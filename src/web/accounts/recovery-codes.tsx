import { useState } from 'react'
import { portalSettings } from '#web/http/portal-settings.ts'
import { saveFile } from '#web/http/save-file.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/choices.tsx'
import { showToast } from '#web/ui/toast.tsx'

/** Recovery codes, shown this once: to copy, download or print. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const [isKept, setIsKept] = useState(false)
  const text = `Códigos de recuperação do portal ${portalSettings.groupName}\nCada um serve uma única vez.\n\n${codes.join('\n')}\n`
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ kind: 'success', title: 'Códigos copiados' })
    } catch {
      showToast({
        kind: 'error',
        title: 'O navegador não copiou',
        description: 'Baixe ou imprima os códigos.',
      })
    }
  }
  const download = () => saveFile('codigos-de-recuperacao.txt', new Blob([text], { type: 'text/plain' }))
  return (
    <div className="space-y-4 text-sm">
      <Alert kind="warning" title="Guarde estes códigos agora">
        Eles não aparecem de novo. Se você perder o aparelho, cada um abre sua conta uma única vez.
      </Alert>
      <ol
        aria-label="Códigos de recuperação"
        className="grid gap-x-6 gap-y-1.5 rounded-lg border border-line bg-subtle p-4 font-mono text-base sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="secondary" onClick={() => void copy()}>
          Copiar
        </Button>
        <Button variant="secondary" onClick={download}>
          Baixar
        </Button>
        <Button variant="secondary" onClick={() => window.print()}>
          Imprimir
        </Button>
      </div>
      <Checkbox
        checked={isKept}
        onChange={({ target }) => setIsKept(target.checked)}
        label="Guardei os códigos em lugar seguro"
      />
      <Button disabled={!isKept} onClick={onDone}>
        Concluir
      </Button>
    </div>
  )
}
