import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { NamedPeople, UsedReport } from '#contract/usage.ts'
import { formatCount, MIN_GROUP } from '#contract/usage-rules.ts'
import { textLinkClasses } from '#web/ui/button.tsx'
import { formatDay } from '#web/ui/format-instant.ts'

const cardClasses = 'rounded-xl border border-line bg-surface shadow-xs'
const MAX_ANSWERS = 5

/** Formats 1234 ms as '1,2 s'. */
export const formatSeconds = (ms: number): string =>
  `${(ms / 1000).toLocaleString('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`

/** Formats a count; null stands for a group too small to be shown, or one that would tell such a group. */
export const formatPeople = (people: number | null, isMasked = false): string =>
  isMasked ? 'oculto' : people === null ? `<${MIN_GROUP}` : formatCount(people)

/** The share of openings that failed: '1,2%'. */
export function formatFailures({ openings, failures }: Pick<UsedReport, 'openings' | 'failures'>): string {
  if (!failures) return failures === null ? '–' : '0'
  const share = failures / ((openings ?? 0) + failures)
  const percent = share.toLocaleString('pt-BR', { style: 'percent', maximumFractionDigits: 1 })
  return openings === null ? formatCount(failures) : `${formatCount(failures)} (${percent})`
}

export interface Column<Row> {
  head: string
  cell: (row: Row) => string
  /** Instead of the text on the screen. */
  show?: (row: Row) => ReactNode
  isNumber?: boolean
}

interface UsageTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  toKey: (row: Row) => string
}

/** A table that scrolls sideways inside its own frame; '<5' is read out as 'menos de 5'. */
export function UsageTable<Row>({ label, columns, rows, toKey }: UsageTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-line border-b text-muted text-xs">
            {columns.map(({ head, isNumber }) => (
              <th
                key={head}
                scope="col"
                className={`whitespace-nowrap px-4 py-2 font-medium sm:px-6 ${isNumber ? 'text-right' : 'text-left'}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={toKey(row)}>
              {columns.map(({ head, cell, show, isNumber }) => (
                <td
                  key={head}
                  className={`px-4 py-2 sm:px-6 ${isNumber ? 'whitespace-nowrap text-right' : 'min-w-36 text-left'}`}
                >
                  {show?.(row) ?? <SmallGroup text={cell(row)} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function SmallGroup({ text }: { text: string }) {
  if (text !== formatPeople(null)) return <span>{text}</span>
  return (
    <>
      <span aria-hidden="true">{text}</span>
      <span className="sr-only">menos de {MIN_GROUP}</span>
    </>
  )
}

/** A question with its number, and what it counts below. */
export function Answer({
  title,
  count,
  note,
  children,
}: {
  title: string
  count: number
  note: string
  children?: ReactNode
}) {
  return (
    <section aria-label={title} className={`${cardClasses} flex flex-col gap-1 px-4 py-4 sm:px-6`}>
      <h2 className="flex items-baseline justify-between gap-4 font-semibold">
        {title} <span className="text-xl tabular-nums">{formatCount(count)}</span>
      </h2>
      <p className="text-muted text-xs">{note}</p>
      {children}
    </section>
  )
}

/** People by name, each a link to their panel. */
export function PeopleAnswer({ title, note, found }: { title: string; note: string; found: NamedPeople }) {
  const [shown, setShown] = useState(MAX_ANSWERS)
  const isWhole = shown >= found.people.length
  return (
    <Answer title={title} count={found.total} note={note}>
      <ul className="mt-1 divide-y divide-line text-sm">
        {found.people.slice(0, shown).map(({ user_id, email, full_name, at }) => (
          <li key={user_id} className="flex min-h-9 items-center justify-between gap-4">
            <Link
              to="/admin/pessoas"
              search={{ pessoa: user_id }}
              className={`min-w-0 truncate ${textLinkClasses}`}
            >
              {full_name ?? email}
            </Link>
            <span className="shrink-0 text-muted text-xs">{formatDay(at)}</span>
          </li>
        ))}
      </ul>
      {!isWhole && (
        <button
          type="button"
          className={`min-h-11 self-start text-sm sm:min-h-9 ${textLinkClasses}`}
          onClick={() => setShown(found.people.length)}
        >
          {found.total > found.people.length ? `Mostrar ${found.people.length}` : 'Mostrar todas'}
        </button>
      )}
      {isWhole && found.total > found.people.length && (
        <p className="pt-1 text-muted text-xs">e mais {formatCount(found.total - found.people.length)}</p>
      )}
    </Answer>
  )
}

/** Reports by title, each with what makes it an answer. */
export function ReportAnswer({
  title,
  note,
  reports,
  explain,
}: {
  title: string
  note: string
  reports: readonly UsedReport[]
  explain?: (report: UsedReport) => string
}) {
  return (
    <Answer title={title} count={reports.length} note={note}>
      <ul className="mt-1 divide-y divide-line text-sm">
        {reports.slice(0, MAX_ANSWERS).map((report) => (
          <li key={report.id} className="flex min-h-9 items-center justify-between gap-4">
            <span className="min-w-0 truncate">{nameReport(report)}</span>
            {explain && (
              <span className="shrink-0 text-muted text-xs tabular-nums">
                <SmallGroup text={explain(report)} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {reports.length > MAX_ANSWERS && (
        <p className="pt-1 text-muted text-xs">e mais {reports.length - MAX_ANSWERS}, na tabela abaixo</p>
      )}
    </Answer>
  )
}

export const nameReport = ({ title, exists }: UsedReport): string =>
  title === null ? 'Relatório removido' : exists ? title : `${title} (removido)`
