import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReplyNamed } from '#contract/index.ts'
import { callApi } from '#web/http/api.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Button, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { formatDay } from '#web/ui/format-instant.ts'
import { listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { AccessReview, formatResult, KINDS, readMarks, reviewsQuery, saveCsv } from './access-review.tsx'
import { formatCount } from './selection.ts'

type PastReview = ReplyNamed<'GET /api/access-reviews'>['past'][number]

/** /admin/revisoes, 'Revisão de acessos': what can be reviewed and what was, or one open review. */
export function AccessReviewsScreen() {
  const { kind, code } = useSearch({ from: '/signed-in/administrators/admin/revisoes' })
  const back = (
    <Link to="/admin/revisoes" className={`text-sm ${textLinkClasses}`}>
      Todas as revisões
    </Link>
  )
  return kind && code ? (
    <AdminPage title="Revisão de acessos" action={back}>
      <AccessReview key={`${kind} ${code}`} kind={kind} code={code} />
    </AdminPage>
  ) : (
    <AdminPage
      title="Revisão de acessos"
      intro="Escolha uma área ou uma marca, confira quem a tem e diga quem continua. O que nunca foi revisado, ou há mais tempo, vem primeiro."
    >
      <Overview />
    </AdminPage>
  )
}

function Overview() {
  const reviews = useQuery(reviewsQuery)
  const { data } = reviews
  if (!data)
    return <NotLoaded query={reviews} failed="As revisões não puderam ser lidas agora." skeleton="h-96" />
  const never = data.items.filter(({ last }) => !last).length
  return (
    <>
      {never > 0 && (
        <p className="text-muted text-sm">
          {never === data.items.length
            ? 'Nenhuma revisão foi feita ainda: comece pelo que for mais sensível.'
            : `${never} de ${data.items.length} ${never === 1 ? 'nunca foi revisada' : 'nunca foram revisadas'}.`}
        </p>
      )}
      <ul aria-label="O que revisar" className={listClasses}>
        {data.items.map(({ kind, code, label, people, last }) => {
          const marked = readMarks(kind, code).length
          return (
            <li key={`${kind} ${code}`} className="flex items-center gap-x-6 px-4 py-3 sm:px-6">
              <div className="min-w-0 flex-1">
                <h2 className="break-words font-medium">
                  <span className="font-normal text-muted">{KINDS[kind]}</span> {label}
                </h2>
                <p className="text-muted">
                  {formatCount(people, 'pessoa', 'pessoas')} ·{' '}
                  {last ? `Revisada em ${formatDay(last.reviewed_at)}` : 'Nunca revisada'}
                  {marked > 0 &&
                    ` · em andamento, ${formatCount(marked, 'marcada', 'marcadas')} para remover`}
                </p>
              </div>
              <Link
                to="/admin/revisoes"
                search={{ kind, code }}
                className={buttonClasses('secondary')}
                aria-label={`${marked > 0 ? 'Continuar' : 'Revisar'}: ${KINDS[kind]} ${label}`}
              >
                {marked > 0 ? 'Continuar' : 'Revisar'}
              </Link>
            </li>
          )
        })}
      </ul>
      {data.past.length > 0 && (
        <section aria-labelledby="revisoes-feitas" className="space-y-3">
          <h2 id="revisoes-feitas" className="font-semibold text-lg">
            Revisões feitas
          </h2>
          <ul aria-labelledby="revisoes-feitas" className={listClasses}>
            {data.past.map((review) => (
              <li key={review.id}>
                <PastReviewRow review={review} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const pastReviewQuery = (id: string) =>
  queryOptions({
    queryKey: ['past-access-review', id],
    queryFn: ({ signal }) => callApi('GET /api/past-access-reviews/{id}', { params: { id }, signal }),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A recorded review; opening it reads whom it kept and removed. */
function PastReviewRow({ review }: { review: PastReview }) {
  const query = useQuery(pastReviewQuery(review.id))
  const people = query.data?.people
  const title = `${KINDS[review.kind]} ${review.label}`
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && !people && void query.refetch()}>
      <summary className="cursor-pointer px-4 py-3 hover:bg-canvas focus-visible:-outline-offset-2 sm:px-6">
        <span className="font-medium">
          {formatDay(review.reviewed_at)} · {title}
        </span>
        <span className="block break-words text-muted">
          {formatResult(review)} · {review.reviewer_email ?? 'Alguém cuja conta foi excluída'}
        </span>
      </summary>
      <div className="space-y-3 border-line border-t bg-canvas px-4 py-3 sm:px-6">
        {!people && <NotLoaded query={query} failed="Não foi possível ler esta revisão." skeleton="h-16" />}
        {people?.length === 0 && (
          <p className="text-muted">
            Os nomes desta revisão não foram guardados, ou as contas foram excluídas.
          </p>
        )}
        {people && people.length > 0 && (
          <>
            {[true, false].map((removed) => (
              <Names
                key={String(removed)}
                title={removed ? 'Removidos' : 'Mantidos'}
                names={people.filter((person) => person.removed === removed).map(formatName)}
              />
            ))}
            <Button
              variant="secondary"
              onClick={() =>
                void saveCsv(
                  { what: 'past-review', item: review.code },
                  `revisao-${review.code}`,
                  new Date(review.reviewed_at),
                  [
                    ['E-mail', 'Nome', 'Resultado'],
                    ...people.map(({ email, full_name, removed }) => [
                      email,
                      full_name ?? '',
                      removed ? 'Removido' : 'Mantido',
                    ]),
                  ],
                )
              }
            >
              Baixar CSV
            </Button>
          </>
        )}
      </div>
    </details>
  )
}

const formatName = ({ email, full_name }: { email: string; full_name: string | null }) =>
  full_name ? `${full_name} (${email})` : email

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <div>
      <h3 className="font-medium">{title}</h3>
      <p className="break-words text-muted">{names.join(', ')}</p>
    </div>
  )
}
