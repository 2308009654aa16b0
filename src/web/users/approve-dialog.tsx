import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Entitlements, LISTS, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import { adminMessages, checkEndDay, MAX_IDS } from '#contract/user-rules.ts'
import type { Approval, ManagedProfile } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { READ_ONCE } from '#web/http/query-client.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { setLastEntitlements } from './access-templates.ts'
import { NoteLines, useSecondPress } from './change-notes.tsx'
import { GuardedFormDialog } from './dialog-notices.tsx'
import { formatAccess, getInitialAccess, isSame, ValidUntil } from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import {
  countSelected,
  formatCount,
  formatUserCount,
  isSelected,
  type Selection,
  type SelectionDialogProps,
} from './selection.ts'
import { EffectLine, useDryRun } from './use-dry-run.tsx'
import { readAllMatching } from './user-queries.ts'

const MAX_NAMED = 50

type GrantMode = 'own' | 'same'
const GRANT_MODES: readonly { value: GrantMode; label: string; hint: string }[] = [
  { value: 'own', label: 'Cada um com o próprio pedido', hint: 'O que pediu e o que já tem.' },
  { value: 'same', label: 'Todos com o mesmo acesso', hint: 'O que você marcar abaixo.' },
]

/** 'Aprovar Selecionados': previews and approves the verified pending people of the selection at once. */
export function ApproveDialog({ selection, onClose, onDone }: SelectionDialogProps) {
  // A snapshot: changes of the table's selection must not reach an open dialog.
  const [opened] = useState(selection)
  const [grantMode, setGrantMode] = useState<GrantMode>('own')
  const [ticked, setTicked] = useState<Entitlements>(NO_ENTITLEMENTS)
  const [validUntil, setValidUntil] = useState('')
  const validityError = checkEndDay(validUntil, Date.now())
  const {
    data: people,
    error,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['people-to-approve'],
    queryFn: ({ signal }) => readPeople(opened, signal),
    ...READ_ONCE,
  })
  const catalogue = useCatalogue()
  // With an empty catalogue the approval would grant nothing.
  const isReady = catalogue.version > 0 && (people?.ready.length ?? 0) > 0 && !validityError
  const items = useMemo<Approval[]>(
    () =>
      (people?.ready ?? []).map((person) => ({
        userId: person.user_id,
        version: person.version,
        ...(grantMode === 'own' ? getInitialAccess(catalogue, person) : ticked),
        ...(validUntil && { valid_until: validUntil }),
      })),
    [people, catalogue, grantMode, ticked, validUntil],
  )
  const form = useDryRun({
    body: isReady ? items : undefined,
    dryRun: (wanted, signal) =>
      callApi('POST /api/profiles/approve', { query: { dryRun: true }, body: { items: wanted }, signal }),
    send: (wanted) => retryCall('POST /api/profiles/approve', { query: {}, body: { items: wanted } }),
    onDone: ({ approved, undoId, undoSeconds }) => {
      const title = adminMessages.approvedMany(approved)
      const description = 'O aviso por e-mail sai quando já não der para desfazer.'
      if (undoId) announceUndoable({ kind: 'success', title, description }, { undoId, undoSeconds })
      if (grantMode === 'same') setLastEntitlements(ticked)
      onClose()
      onDone()
    },
    failed: adminMessages.approveManyFailed,
    onRefused: () => refetch(),
  })
  const { effect, failure, isSaving, refusal } = form
  const isEmpty = people?.ready.length === 0
  const { isAsking, press } = useSecondPress(effect, effect?.notes)
  return (
    <GuardedFormDialog
      title="Aprovar Selecionados"
      description={people && describePeople(people)}
      confirmLabel={
        isAsking ? 'Aprovar mesmo assim' : `Aprovar ${people?.ready.length.toLocaleString('pt-BR') ?? ''}`
      }
      question={String(isAsking)}
      note={<NoteLines notes={effect?.notes} />}
      isBusy={isSaving}
      isWaiting={form.isCalculating}
      isDisabled={failure !== undefined}
      isOver={isEmpty}
      isOutcomeUnknown={form.isOutcomeUnknown}
      hasUnsavedChanges={!isEmpty && (validUntil !== '' || !isSame(ticked, NO_ENTITLEMENTS))}
      onSubmit={() => press(form.submit)}
      onCancel={onClose}
    >
      {!people && !isFetching && error && (
        <FailedLoad title={adminMessages.loadFailed} onRetry={() => void refetch()}>
          {error.message}
        </FailedLoad>
      )}
      {!people && (isFetching || !error) && <Skeleton className="h-64" />}
      {people && !isEmpty && (
        <>
          {refusal && (
            <Alert kind="warning" title="Ninguém foi aprovado">
              {refusal} A lista abaixo foi lida de novo: confira e tente novamente.
            </Alert>
          )}
          <RadioGroup<GrantMode>
            label="Acesso"
            options={GRANT_MODES}
            value={grantMode}
            onChange={(next) => !isSaving && setGrantMode(next)}
            className="sm:grid-cols-2"
          />
          {grantMode === 'own' ? (
            <GrantList people={people.ready} />
          ) : (
            <EntitlementLists
              lists={LISTS}
              ticked={ticked}
              held={NO_ENTITLEMENTS}
              onChange={(next) => !isSaving && setTicked(next)}
              canBeSaved
            />
          )}
          <ValidUntil
            value={validUntil}
            error={validityError}
            onChange={(day) => !isSaving && setValidUntil(day)}
          />
          <EffectLine failure={failure} recalculate={form.recalculate}>
            {isSaving
              ? `Aprovando ${formatUserCount(people.ready.length)}…`
              : effect
                ? describeEffect(effect)
                : (failure?.message ?? 'Calculando o efeito…')}
          </EffectLine>
        </>
      )}
    </GuardedFormDialog>
  )
}

function GrantList({ people }: { people: readonly ManagedProfile[] }) {
  const catalogue = useCatalogue()
  const rest = people.length - MAX_NAMED
  return (
    <ul
      aria-label="Quem será aprovado"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too
      tabIndex={0}
      className="max-h-72 divide-y divide-line overflow-y-auto rounded-lg border border-line text-sm"
    >
      {people.slice(0, MAX_NAMED).map((person) => (
        <li key={person.user_id} className="grid gap-x-4 gap-y-0.5 px-3 py-2 sm:grid-cols-[1fr_1fr]">
          <span className="min-w-0">
            <span className="block font-medium">{person.full_name ?? person.email}</span>
            {person.full_name && <span className="block text-muted text-xs">{person.email}</span>}
          </span>
          <span className="text-muted sm:text-ink">{formatAccess(getInitialAccess(catalogue, person))}</span>
        </li>
      ))}
      {rest > 0 && <li className="px-3 py-2 text-muted">e mais {rest.toLocaleString('pt-BR')}</li>}
    </ul>
  )
}

interface People {
  ready: ManagedProfile[]
  unverifiedCount: number
  /** Selected people who cannot be approved: already approved, or deleted. */
  otherCount: number
  /** People beyond the limit of one request. */
  leftCount: number
}

function describePeople({ ready, unverifiedCount, otherCount, leftCount }: People): string {
  const out = [
    unverifiedCount > 0 && `${unverifiedCount.toLocaleString('pt-BR')} com e-mail não verificado`,
    otherCount > 0 && formatCount(otherCount, 'já aprovado', 'já aprovados'),
    leftCount > 0 &&
      `${leftCount.toLocaleString('pt-BR')} além dos ${MAX_IDS.toLocaleString('pt-BR')} de uma vez`,
  ].filter((part) => part !== false)
  const who =
    ready.length === 0
      ? 'Nenhum dos selecionados pode ser aprovado aqui.'
      : formatCount(ready.length, 'usuário aguarda aprovação.', 'usuários aguardam aprovação.')
  return out.length > 0 ? `${who} Ficam de fora: ${formatList(out)}.` : who
}

/** Reads the unapproved people of the selection in their current state, and counts the others. */
async function readPeople(selection: Selection, signal: AbortSignal): Promise<People> {
  const filter = selection.kind === 'some' ? {} : selection.filter
  const pending =
    filter.approved === true
      ? []
      : await readAllMatching({ ...filter, approved: false }, { sort: 'created_at', order: 'desc' }, signal)
  const chosen = pending.filter(({ user_id }) => isSelected(selection, user_id))
  const verified = chosen.filter(({ email_verified_at }) => email_verified_at !== null)
  return {
    ready: verified.slice(0, MAX_IDS),
    unverifiedCount: chosen.length - verified.length,
    otherCount: Math.max(0, countSelected(selection) - chosen.length),
    leftCount: Math.max(0, verified.length - MAX_IDS),
  }
}

function describeEffect({ approved, withoutReports }: { approved: number; withoutReports: number }): string {
  const all = formatCount(approved, 'pessoa será aprovada', 'pessoas serão aprovadas')
  if (withoutReports === 0) return `${all}, e todas com relatórios.`
  return `${all}; ${formatCount(withoutReports, 'entra, mas não vê', 'entram, mas não veem')} relatórios: falta tipo, marca ou estado.`
}
