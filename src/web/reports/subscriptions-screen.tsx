import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { describeSchedule } from '#contract/report-schedule.ts'
import type { ReportSubscription } from '#contract/report-subscriptions.ts'
import { callApi } from '#web/http/api.ts'
import { useSession } from '#web/session/session.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { formatInstant } from '#web/ui/format-instant.ts'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { showUndoToast, toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { ownReportsQuery } from './own-reports.ts'
import {
  type MailableReport,
  refreshSubscriptions,
  SubscriptionDialog,
  subscriptionsQuery,
} from './subscription-dialog.tsx'

/** /profile/envios, 'Relatórios por e-mail': the person's subscriptions. */
export function SubscriptionsScreen() {
  const userId = useSession()?.user.id
  return userId && <Subscriptions key={userId} userId={userId} />
}

function Subscriptions({ userId }: { userId: string }) {
  const subscriptions = useQuery(subscriptionsQuery(userId))
  const { data: own } = useQuery(ownReportsQuery(userId))
  const [edited, setEdited] = useState<ReportSubscription | 'new'>()
  const all: MailableReport[] = (own?.areas ?? []).flatMap(({ type: area, reports = [] }) =>
    reports.flatMap(({ name, reportId, canExport, embedMode }) =>
      reportId && canExport && embedMode === 'service_principal' ? { area, reportId, name } : [],
    ),
  )
  const [first, ...others] = all
  const change = useSubmit({
    send: async (run: () => Promise<unknown>) => {
      await run()
      await refreshSubscriptions(userId)
    },
    onFailed: (error) => showToast(toFailureToast('O envio não pôde ser alterado', error)),
  })
  async function remove({ id, area, reportId, viewId, format, schedule, ...item }: ReportSubscription) {
    await callApi('DELETE /api/report-subscriptions/{id}', { params: { id } })
    const body = { area, reportId, viewId, format, schedule }
    const restore = async () => {
      await callApi('POST /api/report-subscriptions', { body })
      await refreshSubscriptions(userId)
    }
    showUndoToast({ kind: 'success', title: `Envio de ${item.report ?? area} excluído` }, restore)
  }
  const items = subscriptions.data
  return (
    <div className="mx-auto w-full max-w-3xl space-y-6 px-4 py-8 sm:py-10">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">Relatórios por e-mail</h1>
        <Link to="/profile" className={`text-sm ${textLinkClasses}`}>
          Minha conta
        </Link>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-prose text-muted text-sm">
          Um relatório ou uma visão, só com os seus dados, na hora que você escolher.
        </p>
        {/* Takes its room before the reports are known. */}
        <Button disabled={!first} onClick={() => setEdited('new')}>
          Novo envio
        </Button>
      </div>
      {!items ? (
        <NotLoaded
          query={subscriptions}
          failed="Os seus envios não puderam ser lidos agora."
          skeleton="h-40"
        />
      ) : items.length === 0 ? (
        <Card>
          <p>Você ainda não recebe nenhum relatório por e-mail.</p>
          {own && !first && (
            <p className="mt-1 text-muted text-sm">Nenhum dos seus relatórios pode ser enviado por e-mail.</p>
          )}
        </Card>
      ) : (
        <ul aria-label="Envios" className="space-y-4">
          {items.map((item) => (
            <li key={item.id}>
              <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
                <SubscriptionText item={item}>
                  {hasDeletedView(item) && (
                    <p className="text-warning">
                      A visão deste envio foi excluída, e ele parou. Mude-o para continuar recebendo.
                    </p>
                  )}
                </SubscriptionText>
                <div className="flex flex-wrap gap-2">
                  {own?.approved !== false && (
                    <>
                      <Button
                        variant="secondary"
                        aria-label={`Mudar ${nameItem(item)}`}
                        onClick={() => setEdited(item)}
                      >
                        Mudar
                      </Button>
                      {!hasDeletedView(item) && (
                        <Button
                          variant="secondary"
                          aria-label={`${item.nextRunAt ? 'Parar' : 'Retomar'} ${nameItem(item)}`}
                          onClick={() =>
                            void change.submit(() =>
                              callApi('PATCH /api/report-subscriptions/{id}', {
                                params: { id: item.id },
                                body: { stopped: item.nextRunAt !== null },
                              }),
                            )
                          }
                        >
                          {item.nextRunAt ? 'Parar' : 'Retomar'}
                        </Button>
                      )}
                    </>
                  )}
                  <Button
                    variant="ghost"
                    aria-label={`Excluir ${nameItem(item)}`}
                    onClick={() => void change.submit(() => remove(item))}
                  >
                    Excluir
                  </Button>
                </div>
              </Card>
            </li>
          ))}
        </ul>
      )}
      {items && (
        <p className="max-w-prose text-muted text-xs">
          O portal prepara cinco de cada vez: 500 envios da mesma hora levam cerca de 1 h 40 min, se cada um
          levar um minuto.
        </p>
      )}
      {edited === 'new' && first && (
        <SubscriptionDialog
          userId={userId}
          reports={[first, ...others]}
          onClose={() => setEdited(undefined)}
        />
      )}
      {edited && edited !== 'new' && (
        <SubscriptionDialog
          userId={userId}
          reports={[{ area: edited.area, reportId: edited.reportId, name: edited.report ?? edited.area }]}
          subscription={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  )
}

const nameItem = ({ area, report, view, viewId }: ReportSubscription) =>
  [area, report, view ? `visão “${view}”` : viewId && 'uma visão que não existe mais']
    .filter(Boolean)
    .join(', ')

/** Whether its view was deleted: it is not sent again. */
const hasDeletedView = ({ viewId, view }: ReportSubscription) => viewId !== null && view === null

/** What is mailed, when, and how the last run went. */
export function SubscriptionText({ item, children }: { item: ReportSubscription; children?: ReactNode }) {
  const { schedule, format, nextRunAt, lastSentAt, failure } = item
  const when = describeSchedule(schedule)
  return (
    <div className="min-w-0 flex-1 basis-64 break-words text-sm">
      {children}
      <p className="font-medium">{nameItem(item)}</p>
      <p>
        {when.charAt(0).toUpperCase() + when.slice(1)}, em {format === 'pdf' ? 'PDF' : 'PowerPoint'}
      </p>
      <p className="text-muted">
        {!nextRunAt || hasDeletedView(item)
          ? 'Parado'
          : nextRunAt.startsWith('9000')
            ? 'Retido depois de uma restauração do portal, até o administrador liberar'
            : `Próximo: ${formatInstant(nextRunAt)}`}
        {lastSentAt && ` · Último: ${formatInstant(lastSentAt)}`}
      </p>
      {failure && <p className="text-danger">Não foi enviado: {failure}</p>}
    </div>
  )
}
