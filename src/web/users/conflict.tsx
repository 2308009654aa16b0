import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, type RefObject, useEffect, useRef } from 'react'
import { type AuditAction, type HistoryEntry, type ManagedProfile, userRoutes } from '#contract/users.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { getSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import {
  describeChange,
  differencesBetween,
  joinDifferences,
  timeInSentence,
  writeChange,
} from './describe-change.ts'
import type { PartialSave } from './use-profile-edit.ts'
import { keepFocus, refreshAndKeepFocus } from './user-queries.ts'

/** Somebody was quicker: how the person stands now, and what happened meanwhile, oldest first. */
export interface Conflict {
  current: ManagedProfile
  sentences: string[]
}

/** Each of these raised the profile's version by one. */
const CHANGES: readonly string[] = [
  'approval-given',
  'approval-removed',
  'types-set',
  'scope-set',
  'entitlements-added',
  'entitlements-removed',
  'bulk-edit-undone',
] satisfies AuditAction[]
const MOST_SENTENCES = 5

/**
 * Finds out what has changed about a person since a state was read, and who did it.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readConflict(base: ManagedProfile): Promise<Conflict> {
  const params = { userId: base.user_id }
  const [current, history] = await Promise.all([
    callApi(userRoutes.readProfile, { params }),
    callApi(userRoutes.readHistory, { params }),
  ])
  const since = changesSince(history.items, current.version - base.version)
  return {
    current,
    sentences: since.length > 0 ? since.map(sentenceOf) : [describeWithoutHistory(base, current)],
  }
}

/**
 * Who approved a person and when, as a sentence; undefined where the history does not say.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readApproval(userId: string): Promise<string | undefined> {
  const { items } = await callApi(userRoutes.readHistory, { params: { userId } })
  const approval = items.find(({ action }) => action === ('approval-given' satisfies AuditAction))
  return approval && sentenceOf(approval)
}

function changesSince(entries: readonly HistoryEntry[], versions: number): HistoryEntry[] {
  const changes = entries.filter(({ action }) => CHANGES.includes(action))
  return changes.slice(0, Math.min(Math.max(versions, 0), MOST_SENTENCES)).reverse()
}

function sentenceOf(entry: HistoryEntry): string {
  return writeChange(describeChange(entry, getSession()?.user.email), timeInSentence(entry.at))
}

function describeWithoutHistory(base: ManagedProfile, current: ManagedProfile): string {
  const lists = joinDifferences(differencesBetween({ ...base }, { ...current }))
  const approval = current.approved ? 'conta aprovada' : 'aprovação removida'
  const all = [lists, base.approved !== current.approved && approval].filter(Boolean).join('; ')
  return `Mudou nesse meio-tempo: ${all || 'outra pessoa salvou o mesmo'}`
}

/** Whether the server refused because something has changed meanwhile. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.problem.code === 'conflict'
}

/** Whether the server refused because the person does not exist any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === 'not-found'
}

/** Says who was quicker and what changed. */
export function ConflictNotice({ conflict, advice }: { conflict: Conflict; advice: string }) {
  return (
    <FocusedNotice kind="warning" title="Nada foi sobrescrito: houve outra alteração nesse meio-tempo">
      <ul className="list-disc space-y-1 pl-4">
        {conflict.sentences.map((sentence) => (
          <li key={sentence}>
            <ChangeSentence text={sentence} />
          </li>
        ))}
      </ul>
      <p className="pt-2">{advice}</p>
    </FocusedNotice>
  )
}

interface ConflictActionsProps {
  onUseCurrent: () => void
  onSaveAnyway: () => void
}

/** The two ways on: by the state that somebody else has left, or over it. */
export function ConflictActions({ onUseCurrent, onSaveAnyway }: ConflictActionsProps) {
  return (
    <>
      <Button variant="secondary" onClick={onUseCurrent}>
        Usar o estado atual
      </Button>
      <Button onClick={onSaveAnyway}>Salvar mesmo assim</Button>
    </>
  )
}

/** What a save that broke off has left behind. */
export function PartialSaveNotice({ saved, unsaved }: PartialSave) {
  const list = (names: string[]) => new Intl.ListFormat('pt-BR').format(names)
  return (
    <Alert kind="error" title="A pessoa ainda não foi aprovada">
      {saved.length > 0 ? `Salvo: ${list(saved)}. ` : 'Nada foi salvo. '}
      {`Não salvo: ${list(unsaved)}. Tente novamente para salvar o que falta.`}
    </Alert>
  )
}

/** Says that somebody else has approved the person meanwhile, by whom where that is known, and reads the table again. */
export function AlreadyApproved({ userId }: { userId: string }) {
  useEffect(() => void refreshAndKeepFocus(), [])
  const { data: sentence } = useQuery({
    queryKey: ['approval-in-dialog', userId],
    // Null, because a query's answer must not be undefined.
    queryFn: async () => (await readApproval(userId)) ?? null,
    gcTime: 0,
  })
  return (
    <FocusedNotice kind="info" title="Esta conta já foi aprovada">
      {sentence && <p>{sentence}.</p>}
      <p>Nada mudou agora. Tipos, marcas e estados podem ser alterados nos botões da linha.</p>
    </FocusedNotice>
  )
}

/** Says in a dialog that somebody else has deleted the person, and takes the row out of the table. */
export function PersonGone() {
  useEffect(() => {
    void refreshAndKeepFocus()
    // The button that opened the dialog has gone with the row.
    return () => void keepFocus()
  }, [])
  return (
    <FocusedNotice kind="warning" title="Esta conta não existe mais">
      Ela foi excluída nesse meio-tempo. A lista de usuários foi atualizada.
    </FocusedNotice>
  )
}

/** A notice that takes the focus when it comes: the button that was pressed means something else now, or has gone. */
export function FocusedNotice(props: ComponentProps<typeof Alert>) {
  const notice = useRef<HTMLDivElement>(null)
  useFocusWhenShown(notice)
  return (
    <div ref={notice} tabIndex={-1} className="rounded-lg">
      <Alert {...props} />
    </div>
  )
}

/**
 * Gives the focus to something that has just come into a dialog. In the frame after next, because until then
 * the dialog takes the focus itself when the button that had it has gone.
 * @param selector what takes it inside the element; the element itself unless said
 */
export function useFocusWhenShown(element: RefObject<HTMLElement | null>, selector?: string): void {
  useEffect(() => {
    const focus = () => {
      const target = selector ? element.current?.querySelector<HTMLElement>(selector) : element.current
      target?.focus()
    }
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(focus)
    })
    return () => cancelAnimationFrame(frame)
  }, [element, selector])
}

/** The sentence of a change, in which no line ends between a sign and what came or went. */
export function ChangeSentence({ text }: { text: string }) {
  return text.split(/([+−] \S+)/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  )
}
