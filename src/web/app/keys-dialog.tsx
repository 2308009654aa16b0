import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { areKeysOn, switchKeys } from './single-keys.ts'

const KEYS = [
  ['Ctrl K', 'Buscar'],
  ['1 a 9', 'Abrir a aba de mesmo número'],
  ['F', 'Só o relatório, sem menu nem abas; F ou Esc volta'],
  ['S', 'Salvar a visão atual'],
  ['?', 'Esta lista'],
]

/** The list of keys, where single ones can be switched off. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useState(areKeysOn)
  return (
    <Dialog
      isOpen
      title="Atalhos de teclado"
      description="Dentro do relatório, as teclas são do Power BI: clique fora dele para usar estas."
      onClose={onClose}
      actions={<Button onClick={onClose}>Fechar</Button>}
    >
      <dl className="divide-y divide-line text-sm">
        {KEYS.map(([key, action]) => (
          <div key={key} className="flex items-center gap-4 py-2">
            <dt className="w-16 shrink-0">
              <kbd className={keyClasses}>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-2 flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchKeys(target.checked)
            setIsOn(target.checked)
          }}
          className="mt-1"
        />
        <span>
          Usar teclas sozinhas neste navegador
          <span className="block text-muted text-xs">
            Desligadas, Ctrl K continua, e esta lista abre em “Buscar”.
          </span>
        </span>
      </label>
    </Dialog>
  )
}

export const keyClasses =
  'whitespace-nowrap rounded-md border border-line-strong/50 px-1.5 py-0.5 font-sans text-muted text-xs tabular-nums'
