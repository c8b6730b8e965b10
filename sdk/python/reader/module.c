/* SPDX-License-Identifier: MIT */
/*
 * corotracer._reader: an open trace, for the package's reading.py. Answers are written into files, because that is what
 * the library does; reading.py maps and removes them. The interpreter goes on while the library reads; reading.py lets
 * one thread at a time use a trace.
 */
#include "../probe/python.h"

#include "library.h"

static const struct library *library;
static PyObject *failure; /* the class corotracer.Error */

struct opened {
	PyObject_HEAD struct ct_trace *trace;
	struct ct_view *view;
	struct ct_query *query;
};

/* ---------------------------------------------------------------- failures */

/* What a function of the library has answered, as a function of Python answers: None, or an exception. */
static PyObject *answer(enum ct_status status, const struct ct_error *error)
{
	if (status == CT_OK)
		Py_RETURN_NONE;
	PyErr_SetString(failure, error->text);
	return NULL;
}

static bool is_open(const struct opened *opened)
{
	if (!opened->view)
		PyErr_SetString(failure, "the trace is closed");
	return opened->view;
}

/* ---------------------------------------------------------------- opening and closing */

static void close_all(struct opened *opened)
{
	if (!library)
		return;
	library->ct_query_close(opened->query);
	library->ct_view_close(opened->view);
	library->ct_trace_close(opened->trace);
	opened->query = NULL;
	opened->view = NULL;
	opened->trace = NULL;
}

static enum ct_status open_all(struct opened *opened, const char *path, uint64_t memory_bytes,
	int64_t timeout_ns, struct ct_error *reterr)
{
	const struct ct_open_options reading = {
		.size = sizeof(reading), .memory_bytes = memory_bytes};
	const struct ct_query_options asking = {
		.size = sizeof(asking), .memory_bytes = memory_bytes, .timeout_ns = timeout_ns};
	enum ct_status status = library->ct_trace_open(path, &reading, &opened->trace, reterr);

	if (status == CT_OK)
		status = library->ct_view_open(opened->trace, NULL, &opened->view, reterr);
	if (status == CT_OK)
		status = library->ct_query_open(opened->view, &asking, &opened->query, reterr);
	return status;
}

static int opened_init(PyObject *self, PyObject *arguments, PyObject *names)
{
	struct opened *opened = (struct opened *)self;
	PyObject *path;
	unsigned long long memory_bytes;
	long long timeout_ns;
	PyThreadState *others;
	struct ct_error error;
	enum ct_status status;

	(void)names;
	if (!PyArg_ParseTuple(
		    arguments, "O&KL", PyUnicode_FSConverter, &path, &memory_bytes, &timeout_ns))
		return -1;
	close_all(opened);
	others = PyEval_SaveThread();
	status = open_all(opened, PyBytes_AsString(path), memory_bytes, timeout_ns, &error);
	PyEval_RestoreThread(others);
	Py_DECREF(path);
	if (status == CT_OK)
		return 0;
	close_all(opened);
	answer(status, &error);
	return -1;
}

static void opened_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	close_all((struct opened *)self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *close_trace(PyObject *self, PyObject *nothing)
{
	(void)nothing;
	close_all((struct opened *)self);
	Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- answers */

static PyObject *write_query(PyObject *self, PyObject *arguments)
{
	const struct ct_query_write_options options = {
		.size = sizeof(options), .format = CT_QUERY_ARROW};
	struct opened *opened = (struct opened *)self;
	const char *sql, *path;
	PyThreadState *others;
	struct ct_error error;
	enum ct_status status;

	if (!PyArg_ParseTuple(arguments, "ss", &sql, &path) || !is_open(opened))
		return NULL;
	others = PyEval_SaveThread();
	status = library->ct_query_write(opened->query, sql, &options, path, NULL, &error);
	PyEval_RestoreThread(others);
	return answer(status, &error);
}

static PyObject *write_table(PyObject *self, PyObject *arguments)
{
	const char *tables[] = {NULL, NULL}, *path;
	const struct ct_export_options options = {
		.size = sizeof(options), .format = CT_EXPORT_ARROW, .tables = tables};
	struct opened *opened = (struct opened *)self;
	PyThreadState *others;
	struct ct_error error;
	enum ct_status status;

	if (!PyArg_ParseTuple(arguments, "ss", &tables[0], &path) || !is_open(opened))
		return NULL;
	others = PyEval_SaveThread();
	status = library->ct_view_export(opened->view, &options, path, &error);
	PyEval_RestoreThread(others);
	return answer(status, &error);
}

static PyObject *write_report(PyObject *self, PyObject *arguments)
{
	struct ct_report_options options = {.size = sizeof(options)};
	struct opened *opened = (struct opened *)self;
	const struct ct_report *report;
	const char *path;
	unsigned format, finding;
	PyThreadState *others;
	struct ct_error error;
	enum ct_status status;

	if (!PyArg_ParseTuple(arguments, "IIs", &format, &finding, &path) || !is_open(opened))
		return NULL;
	options.format = (enum ct_report_format)format;
	options.finding = finding;
	others = PyEval_SaveThread();
	status = library->ct_view_report(opened->view, &report, &error);
	if (status == CT_OK)
		status = library->ct_report_write(report, &options, path, &error);
	PyEval_RestoreThread(others);
	return answer(status, &error);
}

static PyMethodDef methods[] = {
	{"close", close_trace, METH_NOARGS, "close()"},
	{"write_query", write_query, METH_VARARGS, "write_query(sql, path): as a stream of Arrow"},
	{"write_table", write_table, METH_VARARGS, "write_table(name, path): as a stream of Arrow"},
	{"write_report", write_report, METH_VARARGS,
		"write_report(format, finding, path): the finding, from 1, is for a picture"},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot opened_slots[] = {
	{Py_tp_init, opened_init},
	{Py_tp_dealloc, opened_free},
	{Py_tp_methods, methods},
	{0, NULL},
};

static PyType_Spec opened_spec = {
	.name = "corotracer._reader.Opened",
	.basicsize = sizeof(struct opened),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = opened_slots,
};

/* ---------------------------------------------------------------- the module */

static PyObject *load(PyObject *module, PyObject *name)
{
	const char *trouble;
	PyObject *path;

	(void)module;
	if (!PyUnicode_FSConverter(name, &path))
		return NULL;
	library = library_load(PyBytes_AsString(path), &trouble);
	Py_DECREF(path);
	if (library)
		return PyUnicode_FromString(library->ct_version());
	PyErr_SetString(PyExc_OSError, trouble);
	return NULL;
}

static PyMethodDef functions[] = {
	{"load", load, METH_O, "load(path): loads libcorotracer, and returns its version"},
	{NULL, NULL, 0, NULL},
};

static int add_forms(PyObject *module)
{
	if (PyModule_AddIntConstant(module, "TEXT", CT_REPORT_TEXT) < 0 ||
		PyModule_AddIntConstant(module, "JSON", CT_REPORT_JSON) < 0)
		return -1;
	return PyModule_AddIntConstant(module, "SVG", CT_REPORT_SVG);
}

static int fill(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&opened_spec);

	failure = PyErr_NewExceptionWithDoc("corotracer.Error",
		"A trace cannot be read, or a question about a trace cannot be answered.", NULL,
		NULL);
	if (!type || !failure || PyModule_AddObjectRef(module, "Opened", type) < 0 ||
		PyModule_AddObjectRef(module, "Error", failure) < 0)
		return -1;
	Py_DECREF(type);
	return add_forms(module);
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, fill},
	{0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_reader",
	.m_doc = "Reads traces by libcorotracer.",
	.m_methods = functions,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__reader(void);
PyMODINIT_FUNC PyInit__reader(void)
{
	return PyModuleDef_Init(&definition);
}
