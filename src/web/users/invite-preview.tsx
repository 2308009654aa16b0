import { useState } from 'react'
import { describeEmptied, noteChanges } from '#contract/change-notes.ts'
import { formatList } from '#contract/format-list.ts'
import type { InvitationResult, InvitedLine } from '#contract/invitations.ts'
import { adminMessages } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { Alert, type NoticeKind } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { FormDialog } from '#web/ui/dialog.tsx'
import { formatDate } from '#web/ui/format-instant.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { NoteLines } from './change-notes.tsx'
import { formatAccess } from './entitlements.tsx'
import { getEmailId } from './row-actions.tsx'
import { formatCount, NO_SELECTION } from './selection.ts'
import { useDialogs } from './use-dialogs.tsx'

export const formatPeopleCount = (count: number) => formatCount(count, 'pessoa', 'pessoas')

/** Errors and exceptions come first. */
const GROUPS: { outcome: InvitedLine['outcome']; title: string }[] = [
  { outcome: 'error', title: 'Com erro' },
  { outcome: 'replaced', title: 'Serão convidadas, no lugar de uma conta não confirmada' },
  { outcome: 'unchanged', title: 'Ficam como estão' },
  { outcome: 'invited', title: 'Serão convidadas' },
]

/** How many names a person checks the letters of. */
const MAX_SPELT = 5

const describeRight = (count: number) =>
  count === 1 ? 'a pessoa da linha certa' : `as ${count.toLocaleString('pt-BR')} pessoas das linhas certas`

interface InvitePreviewProps {
  result: InvitationResult
  /** The last day of the access of all; '' for no end. */
  validUntil: string
  isBusy: boolean
  /** Sends the invitations of the lines without an error. */
  onConfirm: () => void
  /** Somebody who waits may have been approved here. */
  onApproved: () => void
}

/** The outcome of each line in the dry run, and the button that sends the invitations. */
export function InvitePreview({ result, validUntil, isBusy, onConfirm, onApproved }: InvitePreviewProps) {
  const { lines, invited } = result
  const [isAsking, setIsAsking] = useState(false)
  const { dialogs, open } = useDialogs(NO_SELECTION, false, () => {}, getEmailId, onApproved)
  const approve = useSubmit({
    send: (q: string) => callApi('GET /api/profiles', { query: { q, approved: false } }),
    onDone({ items }, email) {
      const profile = items.find((person) => person.email === email)
      if (profile) open({ kind: 'approve', profile })
      else onApproved()
    },
    onFailed: adminMessages.approveFailed,
  })
  const errors = lines.filter(({ outcome }) => outcome === 'error').length
  const spelt = [
    ...new Set(
      lines.flatMap(({ full_name }) => (/[^\p{ASCII}]/u.test(full_name ?? '') ? [full_name ?? ''] : [])),
    ),
  ].slice(0, MAX_SPELT)
  const notes = noteChanges(
    lines
      .filter(({ outcome }) => outcome === 'invited' || outcome === 'replaced')
      .map(({ full_name, email, types, marcas, estados }) => ({
        names: [full_name || email],
        after: { types, marcas, estados },
      })),
  )
  const mustAsk = errors > 0 || notes.emptied.length > 0
  const [kind, title]: [NoticeKind, string] =
    errors > 0
      ? [
          'error',
          `${formatCount(errors, 'linha', 'linhas')} com erro: corrija e confira de novo${invited > 0 ? `, ou convide ${describeRight(invited)}` : ''}.`,
        ]
      : invited === 0
        ? ['info', 'Não há ninguém para convidar: todos já têm conta ou convite.']
        : [
            'success',
            `Tudo certo: ${formatPeopleCount(invited)} ${invited === 1 ? 'recebe' : 'recebem'} o convite.`,
          ]
  return (
    <section aria-label="Conferência" className="mt-6 space-y-4 border-line border-t pt-6">
      <Alert kind={kind} title={title}>
        {describeEmptied(notes).join(' ')}
      </Alert>
      {result.encoding !== undefined && spelt.length > 0 && (
        <p className="break-words text-sm">
          {`Confira nomes como foram lidos (${result.encoding}): ${formatList(spelt)}. Se algum está errado, salve o arquivo como “CSV UTF-8” e escolha-o de novo.`}
        </p>
      )}
      {GROUPS.map(({ outcome, title }) => (
        <Lines
          key={outcome}
          title={title}
          lines={lines.filter((line) => line.outcome === outcome)}
          validUntil={validUntil}
          onApprove={(email) => void approve.submit(email)}
        />
      ))}
      {invited > 0 && (
        <div className="-mx-4 sm:-mx-6 sticky bottom-0 flex justify-end rounded-b-xl bg-surface px-4 py-3 sm:px-6">
          <Button
            variant={errors > 0 ? 'secondary' : 'primary'}
            isBusy={isBusy}
            onClick={mustAsk ? () => setIsAsking(true) : onConfirm}
          >
            {errors > 0 ? `Convidar ${describeRight(invited)}` : `Convidar ${formatPeopleCount(invited)}`}
          </Button>
        </div>
      )}
      {dialogs}
      {isAsking && (
        <FormDialog
          title={`Convidar ${formatPeopleCount(invited)}?`}
          description={
            errors > 0 &&
            `${formatCount(errors, 'linha com erro fica', 'linhas com erro ficam')} de fora. Você pode corrigir e convidar essas depois.`
          }
          confirmLabel={`Convidar ${formatPeopleCount(invited)}`}
          isBusy={isBusy}
          onSubmit={onConfirm}
          onCancel={() => setIsAsking(false)}
        >
          <NoteLines notes={notes} />
        </FormDialog>
      )}
    </section>
  )
}

interface LinesProps {
  title: string
  lines: readonly InvitedLine[]
  validUntil: string
  onApprove: (email: string) => void
}

function Lines({ title, lines, validUntil, onApprove }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <div>
      <h3 className="font-medium text-sm">
        {title} ({lines.length.toLocaleString('pt-BR')})
      </h3>
      <ol aria-label={title} className="mt-2 divide-y divide-line rounded-lg border border-line text-sm">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several people may share a line; the order is fixed
          <li key={index} className="grid gap-x-4 gap-y-0.5 px-3 py-2 sm:grid-cols-[5rem_1fr_1fr]">
            <span className="text-muted tabular-nums">Linha {line.line}</span>
            <span className="min-w-0">
              <span className="block break-words">{line.email || '(vazio)'}</span>
              {line.full_name && <span className="block break-words text-muted">{line.full_name}</span>}
            </span>
            {line.outcome === 'error' ? (
              <span className="min-w-0 break-words text-danger">{line.message}</span>
            ) : (
              <span className="min-w-0 break-words text-muted">
                {line.outcome !== 'unchanged' && (
                  <span className="block">
                    {formatAccess(line)}
                    {validUntil && ` · acesso até ${formatDate(validUntil)}`}
                  </span>
                )}
                {line.message}{' '}
                {line.waits && (
                  <button
                    type="button"
                    aria-label={`Aprovar ${line.email}`}
                    onClick={() => onApprove(line.email)}
                    className={classNames(textLinkClasses, 'max-sm:py-2.5')}
                  >
                    Aprovar agora
                  </button>
                )}
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}
