import { useEffect, useSyncExternalStore } from 'react'
import { sharedStorage } from '#web/session/browser-storage.ts'
import type { ReportCommands } from './embed/report-frame.ts'
import type { ReportAction } from './report-bar.tsx'

/** What the keys and 'Buscar' reach of the reports screen. */
export interface OpenReport extends Pick<ReportCommands, 'listPages' | 'openPage'> {
  id: string
  title: string
  /** The tabs, in order. */
  areas: readonly string[]
  selectArea: (area: string) => void
  isReportOnly: boolean
  toggleReportOnly: () => void
  /** Undefined where the report has no views. */
  saveView: (() => void) | undefined
  actions: readonly Pick<ReportAction, 'label' | 'run'>[]
}

let open: OpenReport | undefined
const listeners = new Set<() => void>()

function publish(report: OpenReport | undefined): void {
  open = report
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the report that is open; undefined on other screens. */
export const getOpenReport = (): OpenReport | undefined => open

/** The same, with what it can do once it is drawn. */
export const useOpenReport = () => useSyncExternalStore(subscribe, getOpenReport)

export function usePublishedReport(report: OpenReport | undefined): void {
  useEffect(() => publish(report))
  useEffect(() => () => publish(undefined), [])
}

/** Opens the popover with 'Compartilhar', by its button or that of the menu, of which one shows. */
export function openSharePanel(): void {
  const triggers = [...document.querySelectorAll<HTMLElement>('[data-share]')]
  triggers.find((trigger) => trigger.checkVisibility())?.click()
}

const MAX_REMEMBERED = 20
const storageKey = (userId: string) => `patio.recent.${userId}`

/** Returns the ids of what the person opened last in this browser, newest first. */
export function readRecent(userId: string): readonly string[] {
  return sharedStorage.get(storageKey(userId))?.split('\n') ?? []
}

export function rememberOpened(userId: string, id: string): void {
  const others = readRecent(userId).filter((each) => each !== id)
  sharedStorage.set(storageKey(userId), [id, ...others].slice(0, MAX_REMEMBERED).join('\n'))
}
