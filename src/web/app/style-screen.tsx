import './admin.css'
import Eye from 'lucide-react/icons/eye'
import Trash from 'lucide-react/icons/trash-2'
import { type ReactNode, useState } from 'react'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Alert, FailedLoad, KindIcon, type NoticeKind } from '#web/ui/alert.tsx'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { Button, type ButtonVariant, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Checkbox, CheckboxList, RadioGroup } from '#web/ui/choices.tsx'
import { DateField } from '#web/ui/date-field.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '#web/ui/dialog.tsx'
import { Footer } from '#web/ui/footer.tsx'
import { EditButtons } from '#web/ui/list-card.tsx'
import { Skeleton, Spinner } from '#web/ui/loading.tsx'
import { MenuButton } from '#web/ui/menu.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { NoticeLines } from '#web/ui/notice-lines.tsx'
import { Picker } from '#web/ui/picker.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { TabList, TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { EmailField, TextArea, TextField } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { FormLoading, VisitorPage } from '#web/ui/visitor-page.tsx'

const KINDS: NoticeKind[] = ['success', 'error', 'warning', 'info']
const UNREAD = { errorUpdateCount: 0, isFetching: true, refetch: () => Promise.reject() }
const VARIANTS: ButtonVariant[] = ['primary', 'secondary', 'ghost', 'danger']

/**
 * /demo/estilo, only in the demo: every component in every
 * state, for contrast tests and as a reference.
 */
export function StyleScreen() {
  return (
    <main className="mx-auto max-w-4xl space-y-10 px-4 py-10">
      <h1 className="font-semibold text-2xl">Estilo</h1>
      <Part title="Botões">
        {VARIANTS.map((variant) => (
          <div key={variant} className="flex flex-wrap gap-2">
            <Button variant={variant}>{variant}</Button>
            <Button variant={variant} isBusy>
              Ocupado
            </Button>
            <Button variant={variant} disabled>
              Desabilitado
            </Button>
            <Button variant={variant} size="large">
              Grande
            </Button>
          </div>
        ))}
        <EditButtons name="Gerente" onOpen={() => {}} />
        <p>
          Um{' '}
          <a href="#estilo" className={textLinkClasses}>
            endereço sublinhado ao passar
          </a>{' '}
          em uma frase, <span className="text-muted">texto secundário</span> e{' '}
          <span className="text-danger">um erro</span>.
        </p>
      </Part>
      <Part title="Avisos">
        {KINDS.map((kind) => (
          <Alert key={kind} kind={kind} title={kind} actions={<Button variant="secondary">Ação</Button>}>
            O que aconteceu e o que fazer.
          </Alert>
        ))}
        <FailedLoad onRetry={() => {}}>Não pôde ser carregado.</FailedLoad>
        <FailedLoad kind="info" onRetry={() => {}} isRetrying>
          Tentando de novo.
        </FailedLoad>
        <NotLoaded query={UNREAD} failed="Não pôde ser lido." skeleton="h-10" />
        <p className="flex gap-3">
          {KINDS.map((kind) => (
            <KindIcon key={kind} kind={kind} />
          ))}
        </p>
        <NoticeLines
          notices={(['problem', 'warning', 'info'] as const).map((severity) => ({
            id: severity,
            severity,
            text: 'Manutenção hoje às 22h. Veja https://www.grupopatio.com.br/avisos.',
          }))}
          onClose={() => {}}
        />
      </Part>
      <Notices />
      <Part title="Campos">
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField label="Vazio" placeholder="Exemplo" />
          <TextField label="Com texto" defaultValue="Concessionária Centro" hint="Uma dica." />
          <TextField label="Com erro" defaultValue="x" error="Informe um nome." hint="Uma dica." />
          <TextField label="Desabilitado" defaultValue="Não muda" disabled />
          <TextField label="Só leitura" defaultValue="Não muda" readOnly />
          <TextField label="Senha" type="password" defaultValue="segredo" autoComplete="off" />
          <EmailField defaultValue="ana@grupopatio.com.br" autoComplete="off" />
          <SearchField aria-label="Buscar" placeholder="Buscar" value="" onSearch={() => {}} throttleMs={0} />
          <TextArea label="Mensagem" rows={3} error="Escreva uma mensagem." />
          <DateField label="Dia" value="2026-12-31" min="2026-01-01" onChange={() => {}} />
          <SelectField
            label="Ordem"
            options={[{ value: 'name', label: 'Nome' }]}
            value="name"
            onChange={() => {}}
          />
        </div>
      </Part>
      <Choices />
      <Lists />
      <TabsInUse />
      <Part title="Carregando">
        <Spinner />
        <Skeleton className="h-10" />
        <FormLoading>Conferindo o link...</FormLoading>
        <Card>Um cartão.</Card>
        <Tooltip text="Atualizar">
          <Button variant="secondary" aria-label="Atualizar">
            <Eye aria-hidden="true" className="size-4" />
          </Button>
        </Tooltip>
      </Part>
      <Dialogs />
      <Part title="Tela da administração">
        <div className="rounded-xl border border-line">
          <AdminPage title="Listas" intro="Para que serve a tela." action={<Button>Incluir</Button>}>
            <Card>O conteúdo.</Card>
          </AdminPage>
        </div>
      </Part>
      <Part title="Marca e rodapé">
        <BrandMark />
        <Footer />
      </Part>
    </main>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="space-y-4">
      <h2 className="border-line border-b pb-1 font-semibold text-lg">{title}</h2>
      {children}
    </section>
  )
}

/** Toasts, which are drawn by the Toaster of the page. */
function Notices() {
  const show = (kind: NoticeKind, remark = '') =>
    showToast({
      kind,
      title: `Notificação: ${kind}${remark}`,
      description: 'O que aconteceu e o que fazer.',
      lifetimeMs: Number.POSITIVE_INFINITY,
      ...(kind === 'info' && { action: { label: 'Desfazer', run: () => {} } }),
      ...(kind === 'warning' && { countdownTo: Date.now() + 120_000 }),
    })
  return (
    <Part title="Notificações">
      <Button
        variant="secondary"
        onClick={() => {
          for (const kind of KINDS) show(kind)
          show('error', ', pela mesma causa')
        }}
      >
        Mostrar notificações
      </Button>
    </Part>
  )
}

const OPTIONS = ['FIAT', 'JEEP', 'HONDA', 'BYD'].map((value) => ({ value, label: value }))

function Choices() {
  const [ticked, setTicked] = useState(['FIAT'])
  const [mode, setMode] = useState<'a' | 'b'>('a')
  return (
    <Part title="Escolhas">
      <div className="flex flex-wrap gap-6">
        <Checkbox label="Vazia" />
        <Checkbox label="Marcada" defaultChecked />
        <Checkbox label="Mista" isMixed />
        <Checkbox label="Desabilitada" disabled />
        <Checkbox label="Marcada e desabilitada" disabled defaultChecked />
      </div>
      <CheckboxList legend="Marcas" options={OPTIONS} ticked={ticked} onChange={setTicked} />
      <RadioGroup
        label="Modo"
        options={[
          { value: 'a', label: 'Com explicação', hint: 'O que esta escolha faz.' },
          { value: 'b', label: 'Sem explicação' },
        ]}
        value={mode}
        onChange={setMode}
        className="sm:grid-cols-2"
      />
    </Part>
  )
}

/** Popups of a button: a short list, a long one with a search field, a menu, a popover. */
function Lists() {
  const [marca, pickMarca] = useState<string>()
  const [page, pickPage] = useState<string | undefined>('Página 3')
  const pages = Array.from({ length: 20 }, (_, index) => `Página ${index + 1}`)
  return (
    <Part title="Listas que se abrem">
      <div className="flex flex-wrap gap-2">
        <Picker title="Marca" every="todas" options={OPTIONS} value={marca} onPick={pickMarca} />
        <Picker
          title="Página"
          every="todas"
          options={pages.map((value) => ({ value, label: value }))}
          value={page}
          onPick={pickPage}
        />
        <MenuButton
          label="Mais ações"
          describedBy="style-menu"
          items={[
            { id: 'look', label: 'Ver', icon: Eye, onSelect: () => {} },
            { id: 'delete', label: 'Excluir', icon: Trash, isDanger: true, onSelect: () => {} },
          ]}
          className={buttonClasses('secondary')}
        >
          Ações
        </MenuButton>
        <Popover
          label="Janela pequena"
          trigger={{ className: buttonClasses('secondary'), children: 'Janela pequena' }}
        >
          {(close) => <Button onClick={close}>Fechar</Button>}
        </Popover>
        <span id="style-menu" className="sr-only">
          De exemplo
        </span>
      </div>
    </Part>
  )
}

function TabsInUse() {
  const [selectedId, select] = useState('Vendas')
  const tabs = ['Vendas', 'Oficina', 'CRM'].map((id) => ({ id, label: id }))
  return (
    <Part title="Abas">
      <Tabs selectedId={selectedId} onSelect={select}>
        <TabList label="Áreas" tabs={tabs} selectedId={selectedId} />
        <TabPanel id={selectedId} className="p-4 text-sm">
          O painel de {selectedId}.
        </TabPanel>
      </Tabs>
    </Part>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'plain' | 'form' | 'confirm' | 'over' | 'visitor'>()
  const close = () => setOpen(undefined)
  const confirm = { title: 'Excluir 2 usuários?', confirmLabel: 'Excluir', onConfirm: close, onCancel: close }
  return (
    <Part title="Janelas">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen('plain')}>Janela</Button>
        <Button onClick={() => setOpen('form')}>Formulário</Button>
        <Button onClick={() => setOpen('confirm')}>Pergunta</Button>
        <Button onClick={() => setOpen('over')}>Pergunta respondida</Button>
        <Button onClick={() => setOpen('visitor')}>Tela de visitante</Button>
      </div>
      <Dialog isOpen={open === 'plain'} title="Histórico" description="Quem mudou o quê." onClose={close}>
        Nada ainda.
      </Dialog>
      <FormDialog
        isOpen={open === 'form'}
        title="Gerenciar marcas"
        description="Quem vê o quê."
        width="wide"
        confirmLabel="Salvar"
        onSubmit={close}
        onCancel={close}
      >
        <TextField label="Nome" defaultValue="Ana" />
      </FormDialog>
      <ConfirmDialog
        {...confirm}
        isOpen={open === 'confirm'}
        description="Esta ação não pode ser desfeita."
      />
      <ConfirmDialog {...confirm} isOpen={open === 'over'} isOver>
        A conta já foi excluída.
      </ConfirmDialog>
      {open === 'visitor' && (
        <div className="fixed inset-0 z-50 overflow-y-auto bg-canvas">
          <VisitorPage title="Entrar" description="Uma tela para visitantes.">
            <Button onClick={close}>Fechar</Button>
          </VisitorPage>
        </div>
      )}
    </Part>
  )
}
