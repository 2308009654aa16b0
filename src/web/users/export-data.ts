import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { saveFile } from '#web/http/save-file.ts'
import { isGone } from '#web/http/send-request.ts'
import { formatFileDate } from '#web/ui/format-instant.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { formatUserCount } from './selection.ts'
import { type ProfileOrder, refreshUsers } from './user-queries.ts'

/** The ids of running exports: a double click sends one request. */
const running = new Set<string>()

/** Downloads all data about a person (LGPD) as JSON, and shows the result in a toast. */
export async function exportData({ user_id, email }: ManagedProfile): Promise<void> {
  if (running.has(user_id)) return
  running.add(user_id)
  try {
    const data = await callApi('GET /api/profiles/{userId}/export', { params: { userId: user_id } })
    const name = `dados-${email}-${formatFileDate(new Date())}.json`
    downloadFile(name, JSON.stringify(data, null, 2), 'application/json')
    showToast({ kind: 'success', title: 'Dados exportados', description: name })
  } catch (error) {
    showToast(toFailureToast('Erro ao exportar dados', error))
    if (isGone(error)) void refreshUsers()
  } finally {
    running.delete(user_id)
  }
}

/** Downloads everyone who matches, in the order of the table, as CSV. */
export async function exportList(filter: ProfileFilter, order: ProfileOrder): Promise<void> {
  const query = { ...filter, ...order }
  const { csv, people } = await callApi('GET /api/profiles/export', { query })
  const name = `usuarios-${formatFileDate(new Date())}.csv`
  downloadFile(name, csv, 'text/csv')
  const description = `${name}, ${formatUserCount(people)}`
  showToast({ kind: 'success', title: 'Lista exportada', description })
}

export function downloadFile(name: string, text: string, type: string): void {
  saveFile(name, new Blob([text], { type }))
}
