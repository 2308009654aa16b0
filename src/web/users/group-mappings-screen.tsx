import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { LISTS } from '#contract/entitlement-lists.ts'
import type { GroupEffect, GroupMapping } from '#contract/group-mappings.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { isConflict } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/dialog.tsx'
import { formatRecent } from '#web/ui/format-instant.ts'
import { EditButtons, listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { SubmitDialog } from '#web/ui/submit-dialog.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { accessTemplatesQuery, groupMappingsQuery } from './access-templates.ts'
import { refreshUsers } from './user-queries.ts'

const KEY = groupMappingsQuery.queryKey[0]
const effectsQuery = queryOptions({
  queryKey: [KEY, 'effects'],
  queryFn: ({ signal }) => callApi('GET /api/group-mappings/effects', { signal }),
  staleTime: 0,
})
const refresh = () => queryClient.invalidateQueries({ queryKey: [KEY] })

/** /admin/grupos, 'Grupos do diretório': the template that each group gives, and who would gain what. */
export function GroupMappingsScreen() {
  const mappings = useQuery(groupMappingsQuery)
  const templates = useQuery(accessTemplatesQuery)
  const [open, setOpen] = useState<{ kind: 'edit' | 'remove'; item?: GroupMapping }>()
  const close = () => setOpen(undefined)
  const items = mappings.data?.items
  const hasTemplates = (templates.data?.length ?? 0) > 0
  const nameTemplate = (id: string) => templates.data?.find((template) => template.id === id)?.name ?? '…'
  return (
    <AdminPage
      title="Grupos do diretório"
      intro="Cada grupo da Microsoft dá um modelo de acesso. Quem entra pela primeira vez já chega com ele marcado para a aprovação; para quem já está dentro, aplique abaixo."
      action={
        hasTemplates && items ? (
          <Button onClick={() => setOpen({ kind: 'edit' })}>Novo grupo</Button>
        ) : undefined
      }
    >
      {!items || !templates.data ? (
        <NotLoaded query={mappings} failed="Os grupos não puderam ser lidos agora." skeleton="h-40" />
      ) : items.length === 0 ? (
        <p className="rounded-xl border border-line border-dashed px-6 py-10 text-center text-muted text-sm">
          Nenhum grupo ainda.{' '}
          {hasTemplates ? (
            'Copie o ID de um grupo no Entra e escolha o modelo que ele dá.'
          ) : (
            <>
              Crie primeiro um{' '}
              <Link to="/admin/modelos" className={textLinkClasses}>
                modelo de acesso
              </Link>
              .
            </>
          )}
        </p>
      ) : (
        <ul aria-label="Grupos do diretório" className={listClasses}>
          {items.map((item) => (
            <li key={item.group_id} className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
              <div className="min-w-0 flex-1 basis-64">
                <h2 className="break-words font-medium">{item.name}</h2>
                <p className="break-all text-muted text-xs">{item.group_id}</p>
                {mappings.data?.unseen.includes(item.group_id) && (
                  <p className="text-muted text-xs">Ninguém ainda entrou com este grupo</p>
                )}
              </div>
              <p className="basis-48 break-words">{nameTemplate(item.template_id)}</p>
              <EditButtons name={item.name} onOpen={(kind) => setOpen({ kind, item })} />
            </li>
          ))}
        </ul>
      )}
      {mappings.data && items && items.length > 0 && <Effects {...mappings.data} />}
      {open?.kind === 'edit' && mappings.data && templates.data && (
        <MappingDialog {...mappings.data} opened={open.item} templates={templates.data} onClose={close} />
      )}
      {open?.kind === 'remove' && open.item && mappings.data && (
        <RemoveDialog {...mappings.data} opened={open.item} onClose={close} />
      )}
    </AdminPage>
  )
}

/** Who would gain and lose what; nothing happens before the button. */
function Effects({ known, unknown }: { known: number; unknown: number }) {
  const effects = useQuery(effectsQuery)
  const [isAsking, setIsAsking] = useState(false)
  const people = effects.data?.items
  return (
    <section className="space-y-3">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 className="font-semibold text-lg">Quem ganha e quem perde</h2>
        {people && people.length > 0 && (
          <Button onClick={() => setIsAsking(true)}>
            Aplicar a {people.length === 1 ? '1 pessoa' : `${people.length} pessoas`}
          </Button>
        )}
      </div>
      <p className="text-muted text-sm">
        Conhecemos os grupos de {known === 1 ? '1 pessoa' : `${known} pessoas`}, do dia em que entraram com a
        Microsoft.{unknown > 0 && ` De ${unknown} a Microsoft não os informou.`} Quem não tem grupo desta
        lista fica como está.
      </p>
      {!people ? (
        <NotLoaded query={effects} failed="A prévia não pôde ser calculada agora." skeleton="h-24" />
      ) : people.length === 0 ? (
        <p className="rounded-xl border border-line border-dashed px-6 py-8 text-center text-muted text-sm">
          {known === 0
            ? 'Ainda não se sabe quem mudaria: ninguém com grupos conhecidos entrou com a Microsoft.'
            : 'Ninguém mudaria: quem está nestes grupos já tem o que eles dão, ou ninguém está neles.'}
        </p>
      ) : (
        <ul aria-label="Prévia" className={listClasses}>
          {people.map((person) => (
            <li key={person.user_id} className="space-y-0.5 px-4 py-3 sm:px-6">
              <p className="break-words font-medium">{person.full_name ?? person.email}</p>
              <p className="break-words text-muted text-xs">
                {person.email} · grupos {formatRecent(person.groups_at)}
              </p>
              <Lists verb="Ganha" lists={person.gains} />
              <Lists verb="Perde" lists={person.loses} />
            </li>
          ))}
        </ul>
      )}
      {isAsking && effects.data && (
        <ApplyDialog
          people={effects.data.items}
          fingerprint={effects.data.fingerprint}
          onClose={() => setIsAsking(false)}
        />
      )}
    </section>
  )
}

function Lists({ verb, lists }: { verb: 'Ganha' | 'Perde'; lists: GroupEffect['gains'] }) {
  const named = LISTS.flatMap((list) => lists[list])
  if (named.length === 0) return null
  return (
    <p className={verb === 'Perde' ? 'break-words text-danger' : 'break-words'}>
      {verb}: {named.join(', ')}
    </p>
  )
}

function ApplyDialog(props: { people: GroupEffect[]; fingerprint: string; onClose: () => void }) {
  const { people, fingerprint, onClose } = props
  const losing = people.filter(({ loses }) => LISTS.some((list) => loses[list].length > 0)).length
  const { submit, isBusy } = useSubmit({
    send: () => retryCall('POST /api/group-mappings/apply', { body: { fingerprint } }),
    async onDone({ changed, undoId, undoSeconds }) {
      onClose()
      announceUndoable(
        { kind: 'success', title: `Grupos aplicados a ${changed === 1 ? '1 pessoa' : `${changed} pessoas`}` },
        { undoId, undoSeconds },
      )
      await Promise.all([refresh(), refreshUsers()])
    },
    async onFailed(error) {
      showToast(toFailureToast('Erro ao aplicar os grupos', error))
      if (!isConflict(error)) return
      onClose()
      await refresh()
    },
  })
  return (
    <ConfirmDialog
      title="Aplicar os grupos?"
      description={`${people.length === 1 ? '1 pessoa fica' : `${people.length} pessoas ficam`} exatamente com o que seus grupos dão. ${losing === 0 ? 'Ninguém perde acesso.' : losing === 1 ? '1 delas perde algum acesso.' : `${losing} delas perdem algum acesso.`} Por 30 segundos dá para desfazer.`}
      confirmLabel="Aplicar"
      isBusy={isBusy}
      onConfirm={() => void submit()}
      onCancel={onClose}
    />
  )
}

/** All groups as they were shown, and their version. */
interface ListedMappings {
  items: readonly GroupMapping[]
  version: string
}

interface MappingDialogProps extends ListedMappings {
  opened: GroupMapping | undefined
  templates: readonly { id: string; name: string }[]
  onClose: () => void
}

/** Adds or changes a group: its id and name are typed, since the portal does not read the directory. */
function MappingDialog({ items, version, opened, templates, onClose }: MappingDialogProps) {
  const start = opened ?? { group_id: '', name: '', template_id: templates[0]?.id ?? '' }
  const [typed, setTyped] = useState(start)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const others = items.filter(({ group_id }) => group_id !== opened?.group_id)
  const change = (part: Partial<GroupMapping>) => {
    setTyped({ ...typed, ...part })
    setErrors({})
  }
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('PUT /api/group-mappings', {
        ifMatch: version,
        body: { items: [...others, { ...typed, group_id: typed.group_id.trim(), name: typed.name.trim() }] },
      }),
    async onDone() {
      await refresh()
      showToast({ kind: 'success', title: `Grupo “${typed.name.trim()}” salvo` })
      onClose()
    },
    onFailed(failure) {
      const fields = toFieldErrors(failure)
      setErrors(Object.fromEntries(fields.map(({ path, message }) => [path.split('.').at(-1), message])))
      if (fields.length === 0) showToast(toFailureToast('Não foi possível salvar o grupo', failure))
      if (isConflict(failure)) return refresh()
    },
  })
  return (
    <FormDialog
      title={opened ? 'Editar grupo' : 'Novo grupo'}
      confirmLabel="Salvar"
      isBusy={isBusy}
      hasChanges={JSON.stringify(typed) !== JSON.stringify(start)}
      onSubmit={() => void submit()}
      onCancel={onClose}
    >
      <div className="space-y-5">
        <TextField
          label="Nome"
          autoComplete="off"
          maxLength={80}
          value={typed.name}
          error={errors.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label="ID do grupo no Entra"
          autoComplete="off"
          spellCheck={false}
          value={typed.group_id}
          error={errors.group_id}
          hint="Em Grupos, coluna ID do objeto."
          onChange={({ target }) => change({ group_id: target.value })}
        />
        <SelectField
          label="Modelo de acesso que o grupo dá"
          options={templates.map(({ id, name }) => ({ value: id, label: name }))}
          value={typed.template_id}
          onChange={(template_id) => change({ template_id })}
        />
      </div>
    </FormDialog>
  )
}

function RemoveDialog(props: ListedMappings & { opened: GroupMapping; onClose: () => void }) {
  const { items, version, opened, onClose } = props
  return (
    <SubmitDialog
      title={`Excluir “${opened.name}”?`}
      description="Ninguém perde acesso agora: muda só o que este grupo dá daqui em diante."
      confirmLabel="Excluir grupo"
      send={() =>
        retryCall('PUT /api/group-mappings', {
          ifMatch: version,
          body: { items: items.filter(({ group_id }) => group_id !== opened.group_id) },
        })
      }
      refresh={refresh}
      done={`Grupo “${opened.name}” excluído`}
      failed="Não foi possível excluir o grupo"
      onFailed={(error) => isConflict(error) && refresh()}
      onClose={onClose}
    />
  )
}
