import { memo, type ReactNode } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { classNames } from '#web/ui/class-names.ts'
import { formatDay, formatInstant } from '#web/ui/format-instant.ts'
import { Badge } from './badge.tsx'
import type { RowAction } from './dialog-request.ts'
import { RowActions } from './row-actions.tsx'
import { ScopeLine } from './scope-line.tsx'
import { cell, rowClasses } from './table-grid.tsx'

interface UserRowProps {
  profile: ManagedProfile
  index: number
  isSelected: boolean
  /** Of the last list: nobody can be selected until the next one is there. */
  isOutdated: boolean
  /** Distance from the top of the table's body in pixels. */
  top: number
  /** Takes the row's height, where rows differ. */
  measure: ((row: HTMLElement | null) => void) | undefined
  onToggle: (profile: ManagedProfile, isOn: boolean, isRange: boolean) => void
  onAction: (action: RowAction, profile: ManagedProfile) => void
}

/** One person: a line of the table, on a narrow window a card. */
export const UserRow = memo(function UserRow(props: UserRowProps) {
  const { profile, index, isSelected, isOutdated, top, measure, onToggle, onAction } = props
  const emailId = `email-${profile.user_id}`
  return (
    <tr
      ref={measure}
      {...cell('row')}
      aria-rowindex={index + 2}
      data-index={index}
      style={{ top }}
      className={classNames(
        rowClasses,
        'absolute inset-x-0 border-line border-b',
        isSelected ? 'bg-[color-mix(in_oklab,var(--accent)_9%,var(--surface))]' : 'hover:bg-canvas',
      )}
    >
      <td {...cell()} className="row-span-2 xl:row-auto">
        <label className="flex size-9 cursor-pointer items-center justify-center xl:size-10">
          <input
            type="checkbox"
            aria-label={`Selecionar ${profile.email}`}
            data-control="select"
            // Not disabled, which would take the focus away.
            aria-disabled={isOutdated}
            checked={isSelected}
            onChange={({ nativeEvent, target }) =>
              onToggle(profile, target.checked, (nativeEvent as MouseEvent).shiftKey)
            }
            className="size-4 cursor-pointer accent-brand"
          />
        </label>
      </td>
      <td
        {...cell()}
        id={emailId}
        title={profile.email}
        className="col-span-2 min-w-0 pt-1.5 font-medium xl:col-auto xl:truncate xl:pt-0"
      >
        {profile.email}
      </td>
      <td {...cell()} className="col-span-2 min-w-0 xl:col-auto">
        <span title={profile.full_name ?? undefined} className="block xl:truncate">
          {profile.full_name ?? <span className="text-muted">Sem nome</span>}
        </span>
        <ScopeLine
          profile={profile}
          isSelected={isSelected}
          className="pt-2 xl:absolute xl:right-4 xl:bottom-2 xl:left-14 xl:pt-0"
        />
      </td>
      <RowState profile={profile} isCard={measure !== undefined} />
      <td {...cell()} className="col-span-2 col-start-2 xl:col-auto">
        <RowActions profile={profile} describedBy={emailId} onAction={onAction} />
      </td>
    </tr>
  )
})

function RowState({ profile, isCard }: { profile: ManagedProfile; isCard: boolean }) {
  const { approved, email_verified_at, created_at, last_sign_in_at } = profile
  return (
    <>
      <StateCell isCard={isCard} label="Status" className="col-start-2 xl:col-auto">
        <Badge isGood={approved}>{approved ? 'Aprovado' : 'Pendente'}</Badge>
      </StateCell>
      <StateCell isCard={isCard} label="E-mail Verificado">
        <Badge isGood={email_verified_at !== null}>{email_verified_at ? 'Verificado' : 'Pendente'}</Badge>
      </StateCell>
      <StateCell isCard={isCard} label="Data de Registro" className="col-start-2 xl:col-auto">
        <time dateTime={created_at} title={formatInstant(created_at)}>
          {formatDay(created_at)}
        </time>
      </StateCell>
      <StateCell isCard={isCard} label="Último Acesso">
        {last_sign_in_at ? (
          <time dateTime={last_sign_in_at}>{formatInstant(last_sign_in_at)}</time>
        ) : (
          <span className="text-muted">Nunca</span>
        )}
      </StateCell>
    </>
  )
}

/** On a card, where no header stands above it, the column's name stands in the cell. */
function StateCell(props: { isCard: boolean; label: string; className?: string; children: ReactNode }) {
  return (
    <td {...cell()} className={classNames('min-w-0 xl:whitespace-nowrap', props.className)}>
      {props.isCard && (
        <span aria-hidden="true" className="mb-0.5 block text-muted text-xs">
          {props.label}
        </span>
      )}
      {props.children}
    </td>
  )
}
