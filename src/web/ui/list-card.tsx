import { Button } from './button.tsx'

/** The classes of a list that is a card. */
export const listClasses =
  'divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface text-sm shadow-xs'

const EDITS = { edit: 'Editar', remove: 'Excluir' }

/** The buttons of an item of a list, which open its dialogs. */
export function EditButtons({ name, onOpen }: { name: string; onOpen: (kind: keyof typeof EDITS) => void }) {
  return (
    <div className="flex gap-2">
      {(['edit', 'remove'] as const).map((kind) => (
        <Button
          key={kind}
          variant="secondary"
          aria-label={`${EDITS[kind]}: ${name}`}
          onClick={() => onOpen(kind)}
        >
          {EDITS[kind]}
        </Button>
      ))}
    </div>
  )
}
