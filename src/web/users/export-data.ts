import { MutationObserver } from '@tanstack/react-query'
import { type ManagedProfile, userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { showToast } from '#web/ui/toast.tsx'
import { isGone } from './conflict.tsx'
import { dayForFileName } from './describe-change.ts'
import { refreshAndKeepFocus } from './user-queries.ts'

/** Whose data are on their way: a double click asks once. */
const running = new Set<string>()

/** Downloads everything that the portal holds about a person (LGPD) as a JSON file, and says how that went. */
export async function exportData({ user_id, email }: ManagedProfile): Promise<void> {
  if (running.has(user_id)) return
  running.add(user_id)
  const mutationFn = () => callApi(userRoutes.exportProfile, { params: { userId: user_id } })
  try {
    const data = await new MutationObserver(queryClient, { mutationFn }).mutate()
    const name = `dados-${email}-${dayForFileName(new Date())}.json`
    download(name, JSON.stringify(data, null, 2))
    showToast({ kind: 'success', title: 'Dados exportados', description: name })
  } catch (error) {
    const description = error instanceof Error ? error.message : ''
    showToast({ kind: 'error', title: EXPORT_FAILED, description })
    if (isGone(error)) void refreshAndKeepFocus()
  } finally {
    running.delete(user_id)
  }
}

function download(name: string, json: string): void {
  const address = URL.createObjectURL(new Blob([json], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Some browsers start reading only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Apart from what exports, because it is said too where that could not be loaded. */
export const EXPORT_FAILED = 'Erro ao exportar dados'
