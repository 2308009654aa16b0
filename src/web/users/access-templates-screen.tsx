import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type AccessTemplate, accessTemplateMessages } from '#contract/access-templates.ts'
import { LISTS, type ListName, MAX_LABEL_LENGTH, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { useCatalogue } from '#web/http/catalogue-query.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { ConfirmDialog, FormDialog } from '#web/ui/dialog.tsx'
import { EditButtons, listClasses } from '#web/ui/list-card.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { accessTemplatesQuery, groupMappingsQuery, refreshTemplates } from './access-templates.ts'
import { describeMissing, isSame, joinChanges } from './entitlements.tsx'
import { EntitlementLists } from './fill-from.tsx'
import { formatTemplate } from './fill-lists.ts'

type Open = { kind: 'new'; template?: undefined } | { kind: 'edit' | 'remove'; template: AccessTemplate }

/** /admin/modelos, 'Modelos de acesso': named sets of entitlements to grant with one click. */
export function AccessTemplatesScreen() {
  const catalogue = useCatalogue()
  const templates = useQuery(accessTemplatesQuery)
  const { data } = templates
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <AdminPage
      title="Modelos de acesso"
      intro="Um clique marca um modelo ao aprovar ou alterar alguém. O que se dá é uma cópia: mudar ou excluir um modelo não muda o acesso de ninguém."
      action={<Button onClick={() => setOpen({ kind: 'new' })}>Novo modelo</Button>}
    >
      {!data ? (
        <NotLoaded query={templates} failed="Os modelos não puderam ser lidos agora." skeleton="h-40" />
      ) : data.length === 0 ? (
        <p className="rounded-xl border border-line border-dashed px-6 py-10 text-center text-muted text-sm">
          Nenhum modelo ainda. Crie o primeiro aqui, ou com ‘Salvar como modelo’ ao aprovar alguém.
        </p>
      ) : (
        <ul aria-label="Modelos de acesso" className={listClasses}>
          {data.map((template) => (
            <li key={template.id} className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
              <div className="min-w-0 flex-1 basis-64">
                <h2 className="break-words font-medium">{template.name}</h2>
                <p className="break-words text-muted">{formatTemplate(catalogue, template)}</p>
              </div>
              <Link
                to="/admin"
                search={{ template: template.id }}
                hash="usuarios"
                className={textLinkClasses}
              >
                Quem tem exatamente este modelo
              </Link>
              <EditButtons name={template.name} onOpen={(kind) => setOpen({ kind, template })} />
            </li>
          ))}
        </ul>
      )}
      {(open?.kind === 'new' || open?.kind === 'edit') && (
        <TemplateDialog opened={open.template} onClose={close} />
      )}
      {open?.kind === 'remove' && <RemoveDialog opened={open.template} onClose={close} />}
    </AdminPage>
  )
}

/** Creates or edits a template; shows a concurrent change before it can be overwritten. */
function TemplateDialog({ opened, onClose }: { opened: AccessTemplate | undefined; onClose: () => void }) {
  const catalogue = useCatalogue()
  const [base, setBase] = useState(opened)
  const [name, setName] = useState(opened?.name ?? '')
  const start = opened
    ? { types: opened.types, marcas: opened.marcas, estados: opened.estados }
    : NO_ENTITLEMENTS
  const [ticked, setTicked] = useState(start)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const held = base ?? NO_ENTITLEMENTS
  const { submit, isBusy } = useSubmit({
    send: (body: Pick<AccessTemplate, 'name' | ListName>) => {
      if (!base) return retryCall('POST /api/access-templates', { body })
      const [params, ifMatch] = [{ id: base.id }, String(base.version)]
      return retryCall('PATCH /api/access-templates/{id}', { params, ifMatch, body })
    },
    async onDone(template) {
      await refreshTemplates().catch(() => {})
      showToast({ kind: 'success', title: `Modelo “${template.name}” salvo` })
      onClose()
    },
    async onFailed(failure) {
      const fields = toFieldErrors(failure)
      setErrors(Object.fromEntries(fields.map(({ path, message }) => [path.split('.')[0], message])))
      if (fields.length > 0) return
      showToast(toFailureToast('Não foi possível salvar o modelo', failure))
      if (!isConflict(failure) && !isGone(failure)) return
      const templates = await refreshTemplates().catch(() => undefined)
      if (templates) setBase(templates.find(({ id }) => id === base?.id))
    },
  })
  /** Both changes, where they concern different items. */
  const joined =
    base && opened && base !== opened && (base.name === opened.name || name === opened.name)
      ? joinChanges(catalogue, opened, [ticked, base])
      : undefined
  const listError = errors.types ?? errors.marcas ?? errors.estados
  return (
    <FormDialog
      width="wide"
      title={opened ? 'Editar modelo' : 'Novo modelo'}
      confirmLabel={base === opened ? 'Salvar' : base ? 'Salvar mesmo assim' : 'Salvar como novo'}
      question={base?.version}
      isBusy={isBusy}
      hasChanges={name !== (opened?.name ?? '') || !isSame(ticked, start)}
      onSubmit={() => void submit({ name: name.trim(), ...ticked })}
      onCancel={onClose}
      note={!isSame(ticked, NO_ENTITLEMENTS) && <p>{describeMissing(ticked)}</p>}
    >
      <div className="space-y-5">
        {base !== opened && (
          <Alert kind="warning" title="Este modelo mudou nesse meio-tempo">
            {base
              ? `Agora é “${base.name}”: ${formatTemplate(catalogue, base)}. O que você marcou continua abaixo.`
              : 'Ele foi excluído. O que você marcou continua abaixo e pode ser salvo como um novo.'}
            {joined && (
              <Button
                variant="secondary"
                className="mt-2 flex"
                onClick={() => {
                  setTicked(joined)
                  void submit({ name: (name === opened?.name ? base?.name : name.trim()) ?? '', ...joined })
                }}
              >
                Juntar as duas alterações
              </Button>
            )}
          </Alert>
        )}
        <TextField
          label="Nome"
          autoComplete="off"
          maxLength={MAX_LABEL_LENGTH}
          value={name}
          error={errors.name}
          onChange={({ target }) => {
            setName(target.value)
            setErrors({})
          }}
        />
        <EntitlementLists
          lists={LISTS}
          ticked={ticked}
          held={held}
          onChange={(next) => {
            setTicked(next)
            setErrors({})
          }}
        />
        {listError && (
          <p role="alert" className="text-danger text-sm">
            {listError}
          </p>
        )}
      </div>
    </FormDialog>
  )
}

function RemoveDialog({ opened, onClose }: { opened: AccessTemplate; onClose: () => void }) {
  const catalogue = useCatalogue()
  const [base, setBase] = useState(opened)
  const mappings = useQuery(groupMappingsQuery)
  const groups = (mappings.data?.items ?? []).filter(({ template_id }) => template_id === base.id)
  const { submit, isBusy } = useSubmit({
    send: () =>
      retryCall('DELETE /api/access-templates/{id}', {
        params: { id: base.id },
        ifMatch: String(base.version),
      }),
    async onDone() {
      await refreshTemplates().catch(() => {})
      showToast({ kind: 'success', title: `Modelo “${base.name}” excluído` })
      onClose()
    },
    async onFailed(failure) {
      showToast(toFailureToast('Não foi possível excluir o modelo', failure))
      void mappings.refetch()
      const templates = await refreshTemplates().catch(() => undefined)
      const current = templates?.find(({ id }) => id === base.id)
      if (current) setBase(current)
      else if (templates) onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Excluir “${base.name}”`}
      description={formatTemplate(catalogue, base)}
      confirmLabel="Excluir modelo"
      question={base.version}
      isBusy={isBusy}
      isDisabled={mappings.isFetching}
      isOver={groups.length > 0}
      onConfirm={() => void submit()}
      onCancel={onClose}
    >
      <div className="space-y-4 text-sm">
        {base !== opened && <Alert kind="warning">{accessTemplateMessages.changedMeanwhile}</Alert>}
        {groups.length > 0 ? (
          <Alert kind="warning">
            {accessTemplateMessages.usedByGroups(groups.map(({ name }) => name))}{' '}
            <Link to="/admin/grupos" className={textLinkClasses}>
              Grupos do diretório
            </Link>
          </Alert>
        ) : (
          <p>Ninguém perde acesso: quem recebeu este modelo fica com o que tem.</p>
        )}
      </div>
    </ConfirmDialog>
  )
}
