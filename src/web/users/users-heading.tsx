import type { ProfileFilter } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'

interface UsersHeadingProps {
  /** Id of the title, which names the card. */
  titleId: string
  /** How many wait for approval in all. */
  pending: number | undefined
  filter: ProfileFilter
  onFilter: (filter: ProfileFilter) => void
}

/** The card's title, and the way to everybody who waits for approval. */
export function UsersHeading({ titleId, pending, filter, onFilter }: UsersHeadingProps) {
  const isShown = filter.approved === false
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-4 sm:px-6 sm:pt-5 xl:px-4">
      <h2 id={titleId} className="font-semibold text-lg">
        Administração de Usuários
      </h2>
      {pending !== undefined && (
        <Button
          variant="secondary"
          aria-pressed={isShown}
          onClick={() => onFilter(isShown ? { ...filter, approved: undefined } : { approved: false })}
          className="h-9 px-3 aria-pressed:border-brand aria-pressed:bg-subtle"
        >
          Pendentes ({pending.toLocaleString('pt-BR')})
        </Button>
      )}
    </div>
  )
}
