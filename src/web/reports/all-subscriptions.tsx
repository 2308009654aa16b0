import { useQuery } from '@tanstack/react-query'
import { callApi } from '#web/http/api.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SubscriptionText } from './subscriptions-screen.tsx'

/** 'Relatórios por e-mail' of all people, failed ones first; for administrators. */
export function AllSubscriptions() {
  const query = useQuery({
    queryKey: ['all-report-subscriptions'],
    queryFn: ({ signal }) => callApi('GET /api/report-subscriptions/all', { signal }),
  })
  const { data } = query
  if (!data)
    return (
      <NotLoaded query={query} failed="A lista de relatórios por e-mail não pôde ser lida." skeleton="h-12" />
    )
  const failed = data.items.filter(({ failure }) => failure !== null).length
  return (
    <details open={failed > 0} className="rounded-xl border border-line bg-surface shadow-xs">
      <summary className="cursor-pointer px-4 py-3 font-medium text-sm sm:px-6">
        Relatórios por e-mail ({data.total}
        {failed > 0 && `, ${failed} com falha`})
      </summary>
      <ul aria-label="Relatórios por e-mail" className="divide-y divide-line border-line border-t">
        {data.items.map((item) => (
          <li key={item.id} className="px-4 py-2 sm:px-6">
            <SubscriptionText item={item}>
              <p className="text-muted">{item.email}</p>
            </SubscriptionText>
          </li>
        ))}
        {data.items.length === 0 && <li className="px-4 py-2 text-sm sm:px-6">Ninguém recebe relatórios.</li>}
      </ul>
    </details>
  )
}
